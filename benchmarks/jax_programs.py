#!/usr/bin/env python3
"""JAX programs on Treadle against jaxlib's CPU backend, in one process, taking turns.

    .venv/bin/python benchmarks/jax_programs.py [--only REGEX] [--seconds 0.5] [--json]

Per program: time to compile (JAX's own tracing and lowering left out), least time of a steady call, and Treadle's time as a part of
jaxlib's: below 1 is faster. Timings of one run are comparable with each other only.
"""
import argparse
import json
import math
import os
import re
import sys
import tempfile
import time

os.environ["JAX_PLATFORMS"] = "treadle,cpu"
empty = tempfile.TemporaryDirectory(prefix="treadle-cache-", ignore_cleanup_errors=True)
os.environ["TREADLE_CACHE_DIR"] = empty.name  # what an earlier run compiled is compiled again
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(name, None)
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def layer_norm(x, scale, shift):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift


def mlp_step(weights, x, y):
    def loss(weights):
        hidden = jax.nn.relu(x @ weights[0])
        return jnp.mean((hidden @ weights[1] - y) ** 2)

    return [w - 0.01 * g for w, g in zip(weights, jax.grad(loss)(weights))]


PROGRAMS = {
    "call/add_scalar": lambda: (lambda x: x + 1, [np.float32(1)]),
    "call/sum_of_32": lambda: (lambda *a: sum(a), [normal(8) for _ in range(32)]),
    "map/add_1e7": lambda: (lambda x: x + 1, [normal(10**7)]),
    "map/gelu_1e6": lambda: (jax.nn.gelu, [normal(10**6)]),
    "map/polynomial_and_exp_1e7": lambda: (lambda x: jnp.exp(-x * x) * (1 + x * (0.5 + x)), [normal(10**7)]),
    "reduce/sum_1e7": lambda: (jnp.sum, [normal(10**7)]),
    "reduce/columns_2048": lambda: (lambda x: x.sum(0), [normal(2048, 2048)]),
    "reduce/softmax_2048x1000": lambda: (lambda x: jax.nn.softmax(x, -1), [normal(2048, 1000)]),
    "reduce/layer_norm_2048x768": lambda: (layer_norm, [normal(2048, 768), normal(768), normal(768)]),
    "reduce/argmax_2048x1000": lambda: (lambda x: jnp.argmax(x, -1), [normal(2048, 1000)]),
    "move/transpose_2048": lambda: (lambda x: x.T + 0, [normal(2048, 2048)]),
    "move/concatenate": lambda: (lambda a, b: jnp.concatenate([a, b], 1), [normal(1024, 1000), normal(1024, 500)]),
    "dot/64": lambda: (jnp.matmul, [normal(64, 64), normal(64, 64)]),
    "dot/1024": lambda: (jnp.matmul, [normal(1024, 1024), normal(1024, 1024)]),
    "dot/vector_1024x4096": lambda: (jnp.matmul, [normal(1, 1024), normal(1024, 4096)]),
    "dot/batch_32x64x64": lambda: (jnp.matmul, [normal(32, 64, 64), normal(32, 64, 64)]),
    "loop/scalar_1e6": lambda: (lambda x: lax.fori_loop(0, 10**6, lambda i, c: c * 0.999 + 0.001, x), [np.float32(1)]),
    "loop/scan_rows_1e4": lambda: (lambda x: lax.scan(lambda c, v: (0.9 * c + v, c), jnp.zeros(4), x), [normal(10**4, 4)]),
    "train/mlp_128": lambda: (mlp_step, [[normal(64, 256) / 8, normal(256, 10) / 16], normal(128, 64), normal(128, 10)]),
}


def prepare(platform, make):
    fn, args = make()
    device = jax.devices(platform)[0]
    placed = jax.device_put(args, device)
    lowered = jax.jit(fn).trace(*placed).lower()
    start = time.perf_counter()
    compiled = lowered.compile()
    jax.block_until_ready(compiled(*placed))
    first = time.perf_counter() - start
    jitted = jax.jit(fn)
    result = jax.block_until_ready(jitted(*placed))
    return first, (lambda: jax.block_until_ready(jitted(*placed))), result


def steady(calls, seconds):
    """Least time of a call of each, in turns."""
    best = [math.inf] * len(calls)
    start = time.perf_counter()
    calls[-1]()
    repeat = max(1, min(1000, int(0.005 / max(time.perf_counter() - start, 1e-7))))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for i, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            best[i] = min(best[i], (time.perf_counter() - start) / repeat)
    return best


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="regular expression that names must match")
    parser.add_argument("--seconds", type=float, default=0.5, help="of steady state a program")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = []
    if not args.json:
        print(f"{'program':32}{'compile ms':>11}{'jaxlib':>9}{'ratio':>7}{'call us':>12}{'jaxlib':>12}{'ratio':>7}")
    for name, make in PROGRAMS.items():
        if not re.search(args.only, name):
            continue
        (first, call, result), (their_first, their_call, their_result) = (prepare(p, make) for p in ("treadle", "cpu"))
        for ours, theirs in zip(jax.tree.leaves(result), jax.tree.leaves(their_result)):
            np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=2e-3, atol=2e-3, err_msg=name)
        ours, theirs = steady([call, their_call], args.seconds)
        rows.append({"program": name, "compile": first / their_first, "call": ours / theirs})
        if not args.json:
            print(f"{name:32}{first * 1e3:11.1f}{their_first * 1e3:9.1f}{first / their_first:7.2f}{ours * 1e6:12.1f}{theirs * 1e6:12.1f}{ours / theirs:7.2f}", flush=True)
    if args.json:
        print(json.dumps(rows))
    elif rows:
        print(f"geometric means: compile {geometric_mean([r['compile'] for r in rows]):.2f}, call {geometric_mean([r['call'] for r in rows]):.2f}")


if __name__ == "__main__":
    sys.exit(main())
