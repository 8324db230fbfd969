// Package array runs the instructions of blocks on arrays: by a kernel where the strides fit, and else instance by instance, in the
// order in which sums are added and cells fire. So the results have the bits of the instances one by one.
package array
