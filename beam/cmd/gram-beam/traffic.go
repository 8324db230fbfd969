package main

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/stats"
)

// traffic is how many bytes the connections of this process have carried, in both directions: to the job server, and between
// it and the workers that are in this process.
var traffic atomic.Int64

// dial connects as Beam does, and counts.
func dial(_ context.Context, endpoint string, _ time.Duration) (*grpc.ClientConn, error) {
	return grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithStatsHandler(meter{}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
}

// meter implements [stats.Handler].
type meter struct{}

func (meter) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (meter) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (meter) HandleConn(context.Context, stats.ConnStats)                       {}

func (meter) HandleRPC(_ context.Context, s stats.RPCStats) {
	switch s := s.(type) {
	case *stats.InPayload:
		traffic.Add(int64(s.WireLength))
	case *stats.OutPayload:
		traffic.Add(int64(s.WireLength))
	}
}
