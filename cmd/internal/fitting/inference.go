package fitting

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gram-machine/gram/internal/fit"
	"github.com/gram-machine/gram/lang/syntax"
)

// Likelihood is a likelihood of the data given the predictions, whose negative logarithm a loss may be a multiple of.
type Likelihood struct {
	Name  string
	deals func(predicted, datum float64) bool // with such a pair
	loss  func(predicted, datum float64) float64
}

// likelihoods are those that are known. Of the normal one, the loss is the square, which belongs to the variance ½.
var likelihoods = []*Likelihood{
	{"normal", func(_, _ float64) bool { return true }, func(p, y float64) float64 { return (p - y) * (p - y) }},
	{"Bernoulli", func(p, y float64) bool { return 0 <= p && p <= 1 && 0 <= y && y <= 1 }, func(p, y float64) float64 {
		loss := 0.0
		if y > 0 {
			loss -= y * math.Log(p)
		}
		if y < 1 {
			loss -= (1 - y) * math.Log1p(-p)
		}
		return loss
	}},
	{"Poisson", func(p, y float64) bool { return p >= 0 && y >= 0 },
		func(p, y float64) float64 { return p - y*math.Log(p) }},
}

// sum is the loss of the likelihood on pairs, a prediction before its datum; NaN if it does not deal with one.
func (l *Likelihood) sum(pairs []float64) (sum float64) {
	for i := 0; i < len(pairs); i += 2 {
		if p, y := pairs[i], pairs[i+1]; l.deals(p, y) {
			sum += l.loss(p, y)
		} else {
			return math.NaN()
		}
	}
	return sum
}

// Inference is what a fit says about its inputs: standard errors from the Hessian of the negative logarithm of a
// likelihood at its minimum. They are asymptotic.
type Inference struct {
	Likelihood string    // "" : there are no errors
	Why        string    // there are none
	Rows       int       // for training
	Errors     []float64 // of each number of the point; NaN if it is at an end of its range
}

// Inference returns the standard errors of a minimum. The likelihood is the one of which the loss on the rows for
// training is a multiple, by the predictions of --predict, at the point and at another one. ranges bound the point.
func (j *fitJob) Inference(point []float64, ranges []fit.Range) (*Inference, error) {
	no := func(why string) (*Inference, error) { return &Inference{Why: why}, nil }
	p := j.Problem()
	if j.batch != nil {
		return no("with --batch the fit comes to no minimum")
	}
	if len(point) > maxInference {
		return no("the inputs have too many numbers")
	}
	hessian, err := p.Hessian(point)
	if err != nil {
		return nil, err
	}
	var free []int // the numbers that are not at an end of their range
	other := slices.Clone(point)
	for i, x := range point {
		r := ranges[i]
		scale := 1 / math.Sqrt(math.Abs(hessian.At(i, i)))
		if math.IsInf(scale, 0) || math.IsNaN(scale) {
			return no("an input does not matter for the loss")
		}
		if near := 1e-6 * scale; x-r.Low > near && r.High-x > near {
			free = append(free, i)
			if other[i] += scale / 2; other[i] > r.High {
				other[i] = (x + r.High) / 2
			}
		}
	}
	likelihood, by, pairs, err := j.likelihood(p, point, other)
	if err != nil {
		return nil, err
	}
	if likelihood == nil {
		return no("the loss is no multiple of the negative logarithm of a likelihood (normal, Bernoulli or Poisson) " +
			"of the predictions")
	}
	rows, k := len(pairs)/2, len(free)
	if likelihood == likelihoods[0] { // the loss is by·S, and the variance S/(n − k): the Hessian of S/2σ² is H/(2σ²·by)
		if rows <= k {
			return no("there are no more rows than inputs")
		}
		by *= 2 * likelihood.sum(pairs) / float64(rows-k)
	}
	h := mat.NewSymDense(max(k, 1), nil)
	for a := range free {
		for b := range a + 1 {
			h.SetSym(a, b, hessian.At(free[a], free[b])/by)
		}
	}
	var cholesky mat.Cholesky
	var inverse mat.SymDense
	if k == 0 || !cholesky.Factorize(h) || cholesky.InverseTo(&inverse) != nil {
		return no("the Hessian is not positive definite")
	}
	out := &Inference{Likelihood: likelihood.Name, Rows: rows, Errors: slices.Repeat([]float64{math.NaN()}, len(point))}
	for a, i := range free {
		out.Errors[i] = math.Sqrt(inverse.At(a, a))
	}
	return out, nil
}

// maxInference bounds the numbers of a point whose standard errors are computed.
const maxInference = 1000

// likelihood returns the likelihood of which the loss is a multiple, and the loss over it, with the pairs at the point;
// nil if there is none.
func (j *fitJob) likelihood(p *fit.Problem, point, other []float64) (l *Likelihood, by float64, pairs []float64,
	err error) {
	ratios := make([][2]float64, len(likelihoods))
	for k, x := range [][]float64{other, point} {
		loss, _, err := p.Loss(x)
		if err != nil {
			return nil, 0, nil, err
		}
		res, err := j.predicted[0].Value(j.ctx, x)
		if err != nil {
			return nil, 0, nil, err
		}
		pairs = slices.Clone(res.Values)
		for i, l := range likelihoods {
			ratios[i][k] = loss / l.sum(pairs)
		}
	}
	for i, r := range ratios {
		if r[1] > 0 && math.Abs(r[0]-r[1]) <= 1e-9*r[1] {
			return likelihoods[i], r[1], pairs, nil
		}
	}
	return nil, 0, pairs, nil
}

// Quality says how good predictions are.
type Quality struct {
	Rows int `json:"rows"` // without those whose prediction or datum is not finite
	// Error is the root mean square of the differences.
	Error    float64  `json:"rootMeanSquare"`
	RSquared *float64 `json:"rSquared,omitempty"` // unless the data are classes, 0 and 1
	// Accuracy is the share of the classes that the prediction, a probability, is on the right side of ½ for, and AUC
	// the area under the curve of true positives over false ones.
	Accuracy *float64 `json:"accuracy,omitempty"`
	AUC      *float64 `json:"auc,omitempty"`
}

// finite returns the predictions and the data of pairs, a prediction before its datum, without those that are not
// finite, and whether the data are classes, 0 and 1, and the predictions probabilities.
func finite(pairs []float64) (predicted, data []float64, classes bool) {
	classes = true
	for i := 0; i < len(pairs); i += 2 {
		p, y := pairs[i], pairs[i+1]
		if d := p - y; math.IsNaN(d) || math.IsInf(d, 0) {
			continue
		}
		predicted, data = append(predicted, p), append(data, y)
		classes = classes && (y == 0 || y == 1) && 0 <= p && p <= 1
	}
	return predicted, data, classes
}

// positives returns the shares of false and of true positives of a classifier at falling thresholds, and the area under
// the curve; nil if the data are no classes, or only one.
func positives(pairs []float64) (falsehood, truth []float64, area float64) {
	predicted, data, classes := finite(pairs)
	if !classes || len(data) == 0 || slices.Min(data) == slices.Max(data) {
		return nil, nil, 0
	}
	right := syntax.Each(len(data), func(i int) bool { return data[i] == 1 })
	stat.SortWeightedLabeled(predicted, right, nil)
	truth, falsehood, _ = stat.ROC(nil, predicted, right, nil)
	return falsehood, truth, integrate.Trapezoidal(falsehood, truth)
}

// qualityOf returns the quality of pairs, a prediction before its datum.
func qualityOf(pairs []float64) Quality {
	predicted, data, classes := finite(pairs)
	right, squares := 0.0, 0.0
	for i, p := range predicted {
		squares += (p - data[i]) * (p - data[i])
		if (p > 0.5) == (data[i] == 1) {
			right++
		}
	}
	n := float64(len(data))
	q := Quality{Rows: len(data), Error: math.Sqrt(squares / n)}
	switch {
	case n == 0:
		q.Error = 0
	case classes:
		q.Accuracy = new(right / n)
		if _, truth, area := positives(pairs); truth != nil {
			q.AUC = &area
		}
	default:
		if variance := stat.PopVariance(data, nil); variance > 0 {
			q.RSquared = new(stat.RSquaredFrom(predicted, data, nil))
		}
	}
	return q
}
