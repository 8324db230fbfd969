"""PyTorch on one thread in float64; tensors in w2, scalars elsewhere. It is called as W N K: see serve.h."""

import json
import math
import sys
import time

import torch

LEAST = 0.01  # seconds that a time is of, at least

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


def inputs(w, k):
    """The inputs: two matrices for w2."""
    if w == "w2":
        places = torch.arange(k * k, dtype=torch.float64).reshape(k, k)
        return [0.1 * torch.sin(1 + places), 0.1 * torch.cos(1 + places)]
    return [torch.tensor(x) for x in {"w1": [0.7, 0.9], "w3": [-0.3], "w4": [0.9999999, 1.1]}[w]]


def forward(w, n, k, data, x):
    """The value at the inputs x."""
    if w == "w1":
        u = torch.tensor(0.0)
        for a in data:
            u = torch.sigmoid(x[0] * a + x[1] * u)
        return u
    if w == "w2":
        h = torch.zeros(k)
        for a in data:
            h = torch.sigmoid(x[0] @ a + x[1] @ h)
        return h.sum()
    y = x[-1]
    for _ in range(n):
        y = torch.sin(y * y) + y if w == "w3" else x[0] * y + x[1]
    return y


def main():
    w, n, k = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    data = []
    if w == "w1":
        data = [math.sin(i) for i in range(n)]
    elif w == "w2":
        data = [torch.tensor([math.sin(t * k + i) for i in range(k)]) for t in range(n)]
    x = [v.requires_grad_() for v in inputs(w, k)]

    def run():
        for v in x:
            v.grad = None
        y = forward(w, n, k, data, x)
        y.backward()
        return y

    print(json.dumps({"ready": True}), flush=True)
    for _ in sys.stdin:
        run()
        start, runs = time.perf_counter(), 0
        while True:
            y = run()
            runs += 1
            seconds = time.perf_counter() - start
            if seconds >= LEAST:
                break
        gradient = [g for v in x for g in v.grad.flatten().tolist()]
        print(json.dumps({"runs": runs, "seconds": seconds, "value": y.item(), "gradient": gradient}), flush=True)


main()
