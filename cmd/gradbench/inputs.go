package main

import (
	"fmt"
	"math/rand/v2"
)

// eval is an eval of GradBench, with the sizes that it has by default.
type eval struct {
	name      string
	functions []string // the value, and what is made of its derivatives
	alone     bool     // the tools do not have it
	sizes     [][]int
	input     func(size []int) map[string]any
}

var (
	primal    = []string{"primal", "gradient"}
	objective = []string{"objective", "jacobian"}
	modes     = []string{"ff", "fr", "rf", "rr"}
)

var evals = []eval{
	{"lse", primal, false, single(2500, 5000, 10000, 20000, 40000, 80000, 160000, 320000, 640000, 1280000),
		func(size []int) map[string]any {
			return map[string]any{"x": uniform(size[0])}
		}},
	{"llsq", primal, false, single(16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8196, 16392),
		func(size []int) map[string]any {
			return map[string]any{"x": uniform(128), "n": size[0]}
		}},
	{"ode", primal, false, product([]int{1000, 10000, 100000}, []int{1, 10, 100}), func(size []int) map[string]any {
		return map[string]any{"x": uniform(size[0]), "s": size[1]}
	}},
	{"lstm", objective, false, product([]int{2, 4, 6}, []int{1024, 4096, 8192}), func(size []int) map[string]any {
		const bits = 14
		text := uniformRows(size[1], bits)
		for _, character := range text {
			for i, x := range character {
				character[i] = float64(int(2 * x))
			}
		}
		l := size[0]
		return map[string]any{"main_params": uniformRows(2*l, 4*bits), "extra_params": uniformRows(3, bits),
			"state": uniformRows(2*l, bits), "sequence": text}
	}},
	{"gmm", objective, false, product([]int{2, 10, 20, 32, 64}, []int{5, 10, 25, 50, 100}),
		func(size []int) map[string]any {
			const n = 1000
			d, k := size[0], size[1]
			return map[string]any{"d": d, "k": k, "n": n, "m": 0, "gamma": 1.0, "x": normalRows(n, d),
				"alpha": normalRows(1, k)[0],
				"mu":    uniformRows(k, d), "q": normalRows(k, d), "l": normalRows(k, d*(d-1)/2)}
		}},
	{"kmeans", []string{"cost", "dir"}, false, product([]int{10, 100, 1000}, []int{1000, 10000}, []int{8, 16}),
		func(size []int) map[string]any {
			points := uniformRows(size[1], size[2])
			return map[string]any{"points": points, "centroids": points[len(points)-size[0]:]}
		}},
	{"det", primal, false, single(5, 6, 7, 8, 9, 10, 11), func(size []int) map[string]any {
		return map[string]any{"A": uniform(size[0] * size[0]), "ell": size[0]}
	}},
	{"ba", objective, false, [][]int{{21, 11315, 36455}, {49, 7776, 31843}, {161, 48126, 182072}, {372, 47423, 204472},
		{257, 65132, 225911}, {539, 65220, 277273},
		{93, 61203, 287451}, {88, 64298, 383937}, {810, 88814, 393775}, {1197, 126327, 563734}, {1723, 156502, 678718},
		{253, 163691, 899155},
		{245, 198739, 1091386}, {356, 226730, 1255268}}, func(size []int) map[string]any {
		return map[string]any{"n": size[0], "m": size[1], "p": size[2], "cam": uniform(11), "x": uniform(3),
			"w": uniform(1)[0], "feat": uniform(2)}
	}},
	{"ht", objective, false, single(100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200), hand},
	{"particle", modes, true, single(1), func([]int) map[string]any { return map[string]any{"w": 0} }},
	{"saddle", modes, true, single(1), func([]int) map[string]any { return map[string]any{"start": []float64{1, 1}} }},
}

// hand returns a hand of the shape of that of the eval, whose files are large: 22 bones, 544 vertices and 1084
// triangles. Each vertex has weights of two bones.
func hand(size []int) map[string]any {
	const bones, vertices, faces = 22, 544, 1084
	r := rand.New(rand.NewPCG(31337, uint64(size[0])))
	matrices := func() (all [][][]float64) {
		for b := range bones {
			m := uniformRows(4, 4)
			for i := range m {
				m[i][3] += 0.01 * float64(b)
			}
			m[3] = []float64{0, 0, 0, 1}
			all = append(all, m)
		}
		return all
	}
	names, parents := make([]string, bones), make([]int, bones)
	for b := range parents {
		names[b] = fmt.Sprint("bone", b)
		parents[b] = max(0, b-1)
		if b%4 == 1 {
			parents[b] = 0 // the first bone of a finger, and the forearm
		}
	}
	parents[0] = -1
	places, weights := uniformRows(vertices, 4), make([][]float64, vertices)
	for v := range places {
		places[v][3] = 1
		weights[v] = make([]float64, bones)
		weights[v][r.IntN(bones)] = 0.75
		weights[v][r.IntN(bones)] += 0.25
	}
	triangles, corresponding := make([][]int, faces), make([]int, size[0])
	for f := range triangles {
		triangles[f] = []int{r.IntN(vertices), r.IntN(vertices), r.IntN(vertices)}
	}
	for i := range corresponding {
		corresponding[i] = r.IntN(faces)
	}
	return map[string]any{"theta": uniform(26), "us": uniformRows(size[0], 2), "data": map[string]any{
		"correspondences": corresponding, "points": uniformRows(size[0], 3), "model": map[string]any{
			"bone_count": bones, "bone_names": names, "parents": parents, "base_relatives": matrices(),
			"inverse_base_absolutes": matrices(),
			"base_positions":         places, "weights": weights, "triangles": triangles, "is_mirrored": false,
		},
	}}
}

func single(sizes ...int) [][]int { return product(sizes) }

// product returns the sizes of all combinations.
func product(parts ...[]int) [][]int {
	all := [][]int{nil}
	for _, part := range parts {
		var next [][]int
		for _, size := range all {
			for _, n := range part {
				next = append(next, append(size[:len(size):len(size)], n))
			}
		}
		all = next
	}
	return all
}

func uniform(n int) []float64 { return uniformRows(1, n)[0] }

func uniformRows(rows, n int) [][]float64 { return random(rows, n, (*rand.Rand).Float64) }

func normalRows(rows, n int) [][]float64 { return random(rows, n, (*rand.Rand).NormFloat64) }

// random returns rows of n numbers, the same each time.
func random(rows, n int, draw func(*rand.Rand) float64) [][]float64 {
	r := rand.New(rand.NewPCG(31337, uint64(rows)<<32|uint64(n)))
	all := make([][]float64, rows)
	for i := range all {
		all[i] = make([]float64, n)
		for j := range all[i] {
			all[i][j] = draw(r)
		}
	}
	return all
}
