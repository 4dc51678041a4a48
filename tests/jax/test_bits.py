"""The same inputs give the same bits: for any number of threads and instruction set, on every call, eager and jitted."""
import hashlib
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax


def adam(p, m, v, g):
    """The parameters' updates are one kernel, and one step."""
    m, v = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g), jax.tree.map(lambda v, g: 0.999 * v * v + 0.001 * g * g, v, g)
    return jax.tree.map(lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), p, m, v), m, v


def side_by_side(x):
    """Steps of one tile or a few that do not wait for each other run at the same time."""
    loop = lambda k: lax.fori_loop(0, 2000, lambda i, c: (c[0] * k + c[1] * 0.5, jnp.sin(c[0]) + c[1]), (x[0], x[1] * k))
    matrix = x[:900].reshape(30, 30)
    return loop(0.9), jnp.linalg.inv(matrix), loop(0.7), jnp.sort(x), jnp.linalg.eigh(matrix + matrix.T), jnp.argmax(x * 2), jnp.cumsum(x)


def programs():
    rng = np.random.default_rng(3)
    normal = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    yield "sum_all", jnp.sum, (normal(1_000_003),)
    yield "sum_rows", lambda x: x.sum(1), (normal(301, 4099),)
    yield "sum_columns", lambda x: x.sum(0), (normal(4099, 301),)
    yield "few_long_rows", lambda x: x.sum(1), (normal(3, 200_001),)
    yield "softmax", lambda x: jax.nn.softmax(x, -1), (normal(257, 1001),)
    yield "map", lambda x: jnp.tanh(x) * jax.nn.sigmoid(x) + jnp.exp(-x * x), (normal(100_001),)
    yield "bf16", lambda x: (x.astype(jnp.bfloat16) * 3 + 1).sum(0), (normal(1000, 77),)
    yield "loop_of_a_map", lambda x: lax.fori_loop(0, 50, lambda i, s: (s[1] * 0.3 + x, jnp.sin(s[0] * i)), (x, x + 1)), (normal(20_001),)
    yield "many_alike", adam, ([normal(n) for n in (5, 5000, 70_001, 64, 300)],) * 4
    yield "side_by_side", side_by_side, (normal(4000),)
    yield "scan", lambda x: lax.scan(lambda c, v: (0.9 * c + v, c), jnp.zeros(33), x), (normal(200, 33),)


def contractions():
    rng = np.random.default_rng(4)
    normal = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    for m, k, n in [(1, 1000, 700), (65, 3000, 33), (300, 301, 302), (1000, 64, 1)]:
        yield f"dot_{m}_{k}_{n}", jnp.matmul, (normal(m, k), normal(k, n))
    yield "training_step", training_step, ([normal(70, 130), normal(130, 100), normal(100, 3)], normal(128, 70))
    yield "batch", lambda a, b: jnp.einsum("bij,bjk->bik", a, b), (normal(7, 31, 65), normal(7, 65, 40))
    for groups in (1, 16):
        conv = lambda x, w, g=groups: lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=g)
        gradients = jax.grad(lambda x, w, c=conv: (c(x, w) ** 2).sum(), (0, 1))
        yield f"conv_{groups}", conv, (normal(2, 40, 41, 16), normal(3, 3, 16 // groups, 32))
        yield f"conv_gradients_{groups}", gradients, (normal(2, 40, 41, 16), normal(3, 3, 16 // groups, 32))


def training_step(params, x):
    def loss(params):
        y = x
        for w in params:
            y = jnp.tanh(y @ w)
        return (y * y).mean()

    return jax.value_and_grad(loss)(params)


def digest(tree):
    h = hashlib.sha256()
    for leaf in jax.tree.leaves(tree):
        h.update(np.asarray(leaf).tobytes())
    return h.hexdigest()


def digests(which):
    device = jax.devices("treadle")[0]
    with jax.default_device(device):
        return {name: digest(jax.jit(fn)(*jax.device_put(args, device))) for name, fn, args in which()}


if __name__ == "__main__":
    for which in (programs, contractions):
        for name, value in digests(which).items():
            print(name, value)
    sys.exit()


def elsewhere(**environment):
    """The digests of a process with other settings."""
    env = dict(os.environ, JAX_PLATFORMS="treadle,cpu", **environment)
    out = subprocess.run([sys.executable, __file__], env=env, capture_output=True, text=True, timeout=600)
    assert out.returncode == 0, out.stderr[-3000:]
    return dict(line.split() for line in out.stdout.splitlines())


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_any_number_of_threads(threads):
    here = {**digests(programs), **digests(contractions)}
    assert elsewhere(TREADLE_NUM_THREADS=str(threads)) == here


@pytest.mark.parametrize("isa", ["v3", "v4"])
def test_any_instruction_set(isa):
    """Contractions may differ between instruction sets; all else may not."""
    here = digests(programs)
    there = elsewhere(TREADLE_ISA=isa)
    assert {name: there[name] for name in here} == here


def test_every_call():
    first = digests(programs)
    for _ in range(5):
        assert digests(programs) == first


def test_two_hundred_calls(rng):
    args = jax.device_put(([rng.standard_normal(s).astype(np.float32) for s in ((70, 130), (130, 100), (100, 3))], rng.standard_normal((128, 70)).astype(np.float32)),
                          jax.devices("treadle")[0])
    step = jax.jit(training_step)
    assert len({digest(step(*args)) for _ in range(200)}) == 1


def test_eager_and_jitted():
    x = np.random.default_rng(5).standard_normal((129, 65)).astype(np.float32)
    device = jax.devices("treadle")[0]

    def chain(x):
        y = jnp.exp(x) * 3 - x / 7
        z = jnp.tanh(y).sum(1) + y.max(1)
        w = (y.T @ y) * 0.01
        return y, z, w, w.mean()

    with jax.default_device(device):
        x = jax.device_put(x, device)
        assert digest(chain(x)) == digest(jax.jit(chain)(x))


def test_updates_in_donated_memory(rng):
    from conftest import assert_same, on  # not where this file is a script, which has its parent's settings

    trees = [[rng.standard_normal(n).astype(np.float32) for n in (5, 5000, 70_001, 64, 300)] for _ in range(4)]
    want = on("treadle", adam, trees)
    placed = jax.device_put(trees, jax.devices("treadle")[0])
    step = jax.jit(adam, donate_argnums=(0, 1, 2))
    got = step(*placed)
    assert digest(got) == digest(want)
    for argument in jax.tree.leaves(placed[:3]):
        assert argument.is_deleted()
    assert_same(want, on("cpu", adam, trees), rtol=1e-5, atol=1e-6)
    # Crosswise: each result takes the memory of another one's argument.
    a, b = (jax.device_put(x, jax.devices("treadle")[0]) for x in trees[0][1:3])
    c, d = jax.jit(lambda a, b: (b * 2, a + 1), donate_argnums=(0, 1))(a, b)
    np.testing.assert_array_equal(c, trees[0][2] * 2)
    np.testing.assert_array_equal(d, trees[0][1] + 1)
