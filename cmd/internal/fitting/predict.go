package fitting

import (
	"fmt"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/lang/load"
)

// Predict loads an expression over the declarations of the program, with the rows for training and with those that are
// held out. Its value has a pair for each row: the prediction, and the number that it is compared with.
func (j *fitJob) Predict(expression string) error {
	parts := []map[string][]float64{nil}
	if j.Over != "" {
		parts[0] = map[string][]float64{j.Over: j.rows}
	}
	if j.held != nil {
		parts = append(parts, map[string][]float64{j.Over: j.heldRows})
	}
	for _, values := range parts {
		p, err := j.load(expression, values)
		if err != nil {
			return fmt.Errorf("--predict: %w", err)
		}
		if !pairs(p.Shape()) {
			return fmt.Errorf("--predict: the expression has type %s; it has to be a list or a vector of pairs, "+
				"(prediction, data)", p.Type())
		}
		e, err := p.NewValue(j.ctx, gram.EvalOptions{})
		if err != nil {
			return err
		}
		j.predicted = append(j.predicted, e)
	}
	return nil
}

// pairs reports whether values of a shape are pairs of numbers, in a list, a vector, or a list that the program
// declares as an inductive type.
func pairs(s *load.Shape) bool {
	switch {
	case s == nil:
		return false
	case s.Kind == load.List, s.Kind == load.Vector:
		return !s.A.Tagged() && s.A.Kind != load.List && s.A.Width() == 2
	case s.Kind != load.Inductive:
		return false
	}
	for _, c := range s.Cons {
		if a := c.Arg; a != nil && (a.Kind != load.Product || a.A.Tagged() || a.A.Kind == load.List ||
			a.A.Width() != 2 || a.B != s) {
			return false
		}
	}
	return true
}

// Predictions returns the pairs at a point, a prediction before its data: for the rows for training, and, if there are
// any, for those that are held out. Without [fitJob.Predict] there are none.
func (j *fitJob) Predictions(point []float64) ([][]float64, error) {
	var out [][]float64
	for _, e := range j.predicted {
		res, err := e.Value(j.ctx, point)
		if err != nil {
			return nil, err
		}
		out = append(out, res.Values)
	}
	return out, nil
}
