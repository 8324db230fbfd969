package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/spf13/cobra"
	"google.golang.org/grpc"
)

func newWorker() *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Serve workers, each in a process of its own",
		Long: `Worker serves a pool of workers: for each that a job server asks for, it starts a process, and ends it when the job is
done. It prints its address, for --workers, and serves until it is interrupted. A worker that dies does not end the pool.

Job servers reach the pool at the address that --workers has, so --address 0.0.0.0:50000 is for other computers. There
is neither encryption nor a password: let only computers that you trust reach it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p := &pool{workers: map[string]*exec.Cmd{}}
			listener, err := net.Listen("tcp", address)
			if err != nil {
				return err
			}
			server := grpc.NewServer()
			fnpb.RegisterBeamFnExternalWorkerPoolServer(server, p)
			context.AfterFunc(cmd.Context(), server.Stop)
			fmt.Println(listener.Addr())
			err = server.Serve(listener)
			p.stop()
			return err
		},
	}
	cmd.Flags().StringVar(&address, "address", "localhost:0", "listen at `host:port`; port 0 is any that is free")
	return cmd
}

// pool starts and stops workers.
type pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	mu      sync.Mutex
	workers map[string]*exec.Cmd
}

// StartWorker starts a process.
func (p *pool) StartWorker(_ context.Context, req *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	self, err := os.Executable()
	if err != nil {
		return &fnpb.StartWorkerResponse{Error: err.Error()}, nil
	}
	id := req.GetWorkerId()
	cmd := exec.Command(self, "--worker=true", "--id="+id,
		"--logging_endpoint="+req.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+req.GetControlEndpoint().GetUrl())
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return &fnpb.StartWorkerResponse{Error: err.Error()}, nil
	}
	p.mu.Lock()
	p.workers[id] = cmd
	p.mu.Unlock()
	fmt.Fprintf(os.Stderr, "worker %s: process %d\n", id, cmd.Process.Pid)
	go func() {
		err := cmd.Wait()
		fmt.Fprintf(os.Stderr, "worker %s: process %d has ended: %v\n", id, cmd.Process.Pid, err)
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.workers, id)
	}()
	return &fnpb.StartWorkerResponse{}, nil
}

// StopWorker ends a process.
func (p *pool) StopWorker(_ context.Context, req *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cmd := p.workers[req.GetWorkerId()]; cmd != nil {
		_ = cmd.Process.Kill() // it may have ended
	}
	return &fnpb.StopWorkerResponse{}, nil
}

// stop ends all processes.
func (p *pool) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, cmd := range p.workers {
		_ = cmd.Process.Kill()
	}
}

func newServe() *cobra.Command {
	var port int
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve jobs by prism, Beam's local runner",
		Long: `Serve runs prism as a job server on this computer, for --endpoint localhost:PORT, until it is interrupted. prism gives a
job one worker, and does not repeat what fails: gram-beam does, with --attempts.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := prism.CreateJobServer(cmd.Context(), prism.Options{Port: port}); err != nil {
				return err
			}
			fmt.Printf("localhost:%d\n", port)
			<-cmd.Context().Done()
			return nil
		},
	}
	cmd.Flags().IntVar(&port, "port", 8073, "the `port`")
	return cmd
}
