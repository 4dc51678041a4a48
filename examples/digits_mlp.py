#!/usr/bin/env python3
"""Trains a small network on scikit-learn's handwritten digits, on Treadle and on jaxlib's CPU backend side by side.

The same JAX program runs on both: a multi-layer perceptron, Adam, mini-batches, 80/20 stratified split with a fixed seed.
Printed: loss and test accuracy as training goes on, the time of the first call (compilation included) and of a steady step.

    .venv/bin/python examples/digits_mlp.py [--epochs 60] [--json]
"""
import argparse
import json
import os
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "treadle,cpu")
import jax
import jax.numpy as jnp
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

HIDDEN, BATCH, RATE = 256, 128, 1e-3


def data():
    x, y = load_digits(return_X_y=True)
    return train_test_split((x / 16.0).astype(np.float32), y.astype(np.int32), test_size=0.2, stratify=y, shuffle=True, random_state=0)


def initial_state():
    rng = np.random.default_rng(0)
    sizes = [64, HIDDEN, HIDDEN, 10]
    params = [(rng.normal(0, (2 / i) ** 0.5, (i, o)).astype(np.float32), np.zeros(o, np.float32)) for i, o in zip(sizes, sizes[1:])]
    zeros = jax.tree.map(np.zeros_like, params)
    return params, zeros, jax.tree.map(np.copy, zeros), np.float32(0)


def logits(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def loss(params, x, y):
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits(params, x)) * jax.nn.one_hot(y, 10), axis=-1))


def step(state, x, y):
    """One step of Adam."""
    params, m, v, t = state
    value, grads = jax.value_and_grad(loss)(params, x, y)
    t = t + 1
    m = jax.tree.map(lambda a, g: 0.9 * a + 0.1 * g, m, grads)
    v = jax.tree.map(lambda a, g: 0.999 * a + 0.001 * g * g, v, grads)
    scale = RATE * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    params = jax.tree.map(lambda p, a, b: p - scale * a / (jnp.sqrt(b) + 1e-8), params, m, v)
    return (params, m, v, t), value


def accuracy(params, x, y):
    return jnp.mean((jnp.argmax(logits(params, x), axis=-1) == y).astype(jnp.float32))


class Training:
    """A run on one platform, advanced an epoch at a time so that the platforms can take turns."""

    def __init__(self, platform, train, test):
        self.platform = platform
        self.device = jax.devices(platform)[0]
        put = lambda tree: jax.device_put(tree, self.device)
        x, y = train
        self.batches = [(put(x[i : i + BATCH]), put(y[i : i + BATCH])) for i in range(0, len(x) - BATCH + 1, BATCH)]
        self.test = put(test)
        self.state = put(initial_state())
        self.step, self.accuracy = jax.jit(step), jax.jit(accuracy)
        self.seconds, self.loss = [], float("nan")

    def first_call(self):
        lowered = self.step.trace(self.state, *self.batches[0]).lower()  # JAX's own part is the same for both
        start = time.perf_counter()
        compiled = lowered.compile()
        jax.block_until_ready(compiled(self.state, *self.batches[0]))
        self.first = time.perf_counter() - start
        self.step = compiled

    def epoch(self):
        for batch in self.batches:
            start = time.perf_counter()
            self.state, value = self.step(self.state, *batch)
            jax.block_until_ready(value)
            self.seconds.append(time.perf_counter() - start)
        self.loss = float(value)

    def test_accuracy(self):
        return float(self.accuracy(self.state[0], *self.test))

    def result(self):
        return {"platform": self.platform, "loss": self.loss, "accuracy": self.test_accuracy(), "first_call_ms": self.first * 1e3,
                "step_us": float(np.median(self.seconds)) * 1e6, "best_step_us": min(self.seconds) * 1e6}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    args = parser.parse_args()
    x_train, x_test, y_train, y_test = data()
    say = (lambda *_: None) if args.json else print
    say(f"digits: {len(x_train)} images to train on, {len(x_test)} to test with; jax {jax.__version__}", flush=True)
    runs = [Training(platform, (x_train, y_train), (x_test, y_test)) for platform in ("treadle", "cpu")]
    for run in runs:
        run.first_call()
    say(f"{'epoch':>6}" + "".join(f"{run.platform + ' loss':>14}{'accuracy':>10}" for run in runs), flush=True)
    for epoch in range(1, args.epochs + 1):
        for run in runs:
            run.epoch()
        if epoch == 1 or epoch % 10 == 0 or epoch == args.epochs:
            say(f"{epoch:6}" + "".join(f"{run.loss:14.5f}{100 * run.test_accuracy():9.2f}%" for run in runs), flush=True)
    ours, theirs = (run.result() for run in runs)
    if args.json:
        print(json.dumps([ours, theirs]))
    else:
        print(f"\n{'':22}{'Treadle':>12}{'jaxlib CPU':>12}{'ratio':>8}")
        for title, key, unit in (("first call", "first_call_ms", "ms"), ("steady step, median", "step_us", "us"), ("steady step, best", "best_step_us", "us")):
            print(f"{title:22}{ours[key]:9.1f} {unit}{theirs[key]:9.1f} {unit}{ours[key] / theirs[key]:8.2f}")
        print(f"{'test accuracy':22}{100 * ours['accuracy']:10.2f} %{100 * theirs['accuracy']:10.2f} %")
    if ours["accuracy"] < 0.96:
        sys.exit("Treadle's test accuracy is below 96 %")


if __name__ == "__main__":
    main()
