package invariant_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/engine/invariant"
)

func TestJobs(t *testing.T) {
	const job, dual = 3, 7
	var jobs invariant.Jobs
	jobs.Reset()
	jobs.Arrive(job, dual)
	jobs.Arrive(job, dual)
	require.PanicsWithValue(t, "engine: job 3 ends with 2 arrivals outstanding", func() { jobs.Finish(job) })
	jobs.Fire(job, dual, 2)
	jobs.Finish(job)
	require.PanicsWithValue(t, "engine: an arrival at dual 7 in job 3 after it has fired", func() { jobs.Arrive(job, dual) })
	require.PanicsWithValue(t, "engine: dual 7 fires twice in job 3", func() { jobs.Fire(job, dual, 1) })
	jobs.Reset()
	jobs.Arrive(job, dual)
	jobs.Fire(job, dual, 1)
	jobs.Finish(job)
}
