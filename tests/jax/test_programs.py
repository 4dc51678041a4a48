"""Arithmetic, transformations and control flow."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

FLOATS = [np.float32, np.float16, jnp.bfloat16]
INTS = [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32]


def test_one_plus_one():
    with jax.default_device(jax.devices("treadle")[0]):
        assert int(jnp.add(1, 1)) == 2
        assert float(jax.jit(lambda x: x + 1)(41.0)) == 42.0


@pytest.mark.parametrize("name", ["exp", "log", "sin", "cos", "tan", "tanh", "sqrt", "log1p", "expm1", "abs", "sign", "floor", "ceil", "round",
                                  "square", "cbrt", "isfinite", "negative"])
@pytest.mark.parametrize("n", [1, 7, 64, 1003])
def test_unary(compare, rng, name, n):
    x = np.concatenate([rng.uniform(0.1, 4, n // 2), rng.uniform(0.01, 0.99, n - n // 2)]).astype(np.float32)
    compare(getattr(jnp, name), x, rtol=5e-7, atol=0)


@pytest.mark.parametrize("name", ["exp", "log", "sin", "cos", "tan", "tanh", "sqrt", "log1p", "expm1", "abs", "sign", "floor", "ceil", "round", "cbrt",
                                  "isfinite"])
def test_unary_corners(compare, name):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 3e38, -3e38, 1e-30, -1e-30, 0.5, -0.5, 2.5, 88.8, -104.0, 1e5], np.float32)
    compare(getattr(jnp, name), x, rtol=1e-6, atol=1e-38)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "arctan2", "remainder", "fmod"])
def test_binary(compare, rng, name):
    compare(getattr(jnp, name), rng.uniform(0.5, 3, (37, 53)).astype(np.float32), rng.uniform(0.5, 3, (37, 53)).astype(np.float32), rtol=1e-6)


@pytest.mark.parametrize("dtype", FLOATS + INTS)
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum"])
def test_types(compare, rng, dtype, name):
    x, y = (rng.integers(0, 100, (5, 129)).astype(dtype) for _ in range(2))
    compare(getattr(jnp, name), x, y, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", INTS)
def test_integer_corners(compare, dtype):
    info = np.iinfo(dtype)
    values = np.array([0, 1, 2, 3, 7, info.max, info.min, info.max - 1, info.min + 1, info.max // 2], dtype)
    x, y = np.repeat(values, len(values)), np.tile(values, len(values))
    compare(lambda a, b: (lax.div(a, b), lax.rem(a, b), a & b, a | b, a ^ b, ~a), x, y)
    shifts = np.array([0, 1, 3, 7, 8, 15, 16, 31, 32, 33], dtype)
    x, s = np.repeat(values, len(shifts)), np.tile(shifts, len(values))
    compare(lambda a, b: (lax.shift_left(a, b), lax.shift_right_logical(a, b), lax.shift_right_arithmetic(a, b)), x, s)
    compare(lambda a: (lax.population_count(a), lax.clz(a)), values)


def test_converts(compare):
    x = np.array([0, -0.0, 1.5, -1.5, 300, -300, 3e9, -3e9, np.inf, -np.inf, np.nan, 65504, 1e-8, 127.9, 255.5], np.float32)
    compare(lambda v: [v.astype(t) for t in FLOATS + INTS + [bool]], x, rtol=0, atol=0)
    i = np.array([0, 1, -1, 127, -128, 2**31 - 1, -(2**31), 16777217, 33554435], np.int32)
    compare(lambda v: [v.astype(t) for t in FLOATS + INTS + [bool]], i, rtol=0, atol=0)
    compare(lambda v: lax.bitcast_convert_type(v, jnp.int32), x)
    compare(lambda v: lax.reduce_precision(v, 5, 10), x, rtol=0, atol=0)


@pytest.mark.parametrize("shape,axis", [((1000,), 0), ((37, 53), 0), ((37, 53), 1), ((4, 5, 6), (0, 2)), ((4, 5, 6), 1), ((3, 70000), 1), ((70000, 3), 0), ((0, 3), 0), ((5, 3), 1),
                                        ((8, 8, 8), None), ((100003,), 0)])
def test_reductions(compare, rng, shape, axis):
    x = rng.standard_normal(shape).astype(np.float32)
    compare(lambda a: (a.sum(axis), a.mean(axis), (a * a).sum(axis)), x, rtol=2e-5, atol=1e-4) if x.size else compare(lambda a: a.sum(axis), x)
    if x.size:
        compare(lambda a: (a.max(axis), a.min(axis), (a > 0).any(axis), (a > -9).all(axis)), x, rtol=0, atol=0)
        i = rng.integers(-1000, 1000, shape).astype(np.int32)
        compare(lambda a: (a.sum(axis), a.max(axis), a.prod(axis)), i)


@pytest.mark.parametrize("shape", [(1000,), (37, 53), (5, 3), (2, 7, 9)])
def test_argmax(compare, rng, shape):
    x = rng.integers(0, 20, shape).astype(np.float32)
    compare(lambda a: (jnp.argmax(a, -1), jnp.argmin(a, -1), jnp.argmax(a, 0)), x)
    x.flat[x.size // 2] = np.nan
    compare(lambda a: (jnp.argmax(a, -1), jnp.argmin(a, 0)), x)


def test_reduce_with_a_region_of_its_own(compare, rng):
    x = rng.integers(0, 256, 10**5).astype(np.int32)
    compare(lambda a: lax.reduce(a, np.int32(0), lambda p, q: (p | q) & 0xFF, (0,)), x)
    y = rng.standard_normal((33, 1000)).astype(np.float32)
    compare(lambda a: lax.reduce(a, np.float32(-np.inf), jnp.logaddexp, (1,)), y, rtol=1e-5)


def test_softmax_and_layer_norm(compare, rng):
    x, g, b = (rng.standard_normal(s).astype(np.float32) for s in ((64, 257), (257,), (257,)))
    compare(lambda a: jax.nn.softmax(a, -1), x, rtol=1e-5)

    def layer_norm(a, g, b):
        m = a.mean(-1, keepdims=True)
        v = ((a - m) ** 2).mean(-1, keepdims=True)
        return (a - m) * lax.rsqrt(v + 1e-5) * g + b

    compare(layer_norm, x, g, b, rtol=1e-4, atol=1e-5)
    compare(lambda a: jax.nn.log_softmax(a, 0), x, rtol=1e-5, atol=1e-5)


def test_movement(compare, rng):
    x = rng.standard_normal((12, 34, 5)).astype(np.float32)
    compare(lambda a: (a.T, a.reshape(34, -1), jnp.transpose(a, (1, 0, 2)), jnp.broadcast_to(a[None], (3, 12, 34, 5))), x, rtol=0, atol=0)
    compare(lambda a: (a[2:9:3], a[:, ::-1], a[..., 1:4] + 1, lax.slice(a, (1, 2, 0), (11, 30, 5), (2, 7, 1))), x, rtol=0, atol=0)
    compare(lambda a: (jnp.concatenate([a, a * 2, a[:1]]), jnp.stack([a, -a], 1), jnp.concatenate([a[:, :3], a[:, 5:]], 1)), x, rtol=0, atol=0)
    compare(lambda a: (jnp.pad(a, ((1, 2), (0, 3), (4, 0))), lax.pad(a, np.float32(9), [(-1, -2, 2), (1, 1, 0), (0, 0, 3)])), x, rtol=0, atol=0)
    compare(lambda a: jnp.arange(1000) + jnp.eye(1, 1000, dtype=jnp.int32)[0] + a.astype(jnp.int32)[0, 0, 0] * 0, x)


@pytest.mark.parametrize("n,m", [(4096, 64), (64, 4096), (513, 127), (1, 99), (300, 300)])
def test_transpose(compare, rng, n, m):
    compare(lambda a: a.T + 0, rng.standard_normal((n, m)).astype(np.float32), rtol=0, atol=0)
    compare(lambda a: a.T, rng.integers(0, 99, (n, m)).astype(np.int8))


def clamped(start, size, extent):
    return int(np.clip(start + extent if start < 0 else start, 0, extent - size))  # lax counts negative starts from the end


@pytest.mark.parametrize("i", [-3, 0, 5, 6, 9, 50])
@pytest.mark.parametrize("j", [-1, 0, 2, 3, 9])
def test_dynamic_slices_clamp(every_way, i, j):
    """Each start by itself, against NumPy: jaxlib's CPU backend gets nested ones wrong."""
    x = np.arange(10.0, dtype=np.float32)
    p, q, r = clamped(i, 4, 10), clamped(j, 1, 4), clamped(j, 2, 4)

    def programs(a, i, j):
        s = lax.dynamic_slice(a, (i,), (4,))
        updated = lax.dynamic_update_slice(s, jnp.ones(2), (j,))
        return s, lax.dynamic_slice(s, (j,), (1,)), lax.dynamic_update_slice(a, updated, (i,))

    s, inner, nested = every_way(programs, x, np.int32(i), np.int32(j))
    np.testing.assert_array_equal(s, x[p : p + 4])
    np.testing.assert_array_equal(inner, x[p + q : p + q + 1])
    expected = x.copy()
    expected[p + r : p + r + 2] = 1
    np.testing.assert_array_equal(nested, expected)


def test_updates_that_read_what_they_write(every_way):
    """Against NumPy: jaxlib's CPU backend overwrites what it still has to read."""
    x = np.arange(4, dtype=np.int32).reshape(4, 1, 1)
    y, z = every_way(lambda a: (lax.dynamic_update_slice(a + 1, (a + 1)[:3], (1, 0, 0)).reshape(1, 4, 1), a.at[1:].set(a[:-1]).reshape((1,) + a.shape)), x)
    assert y.ravel().tolist() == [1, 1, 2, 3] and z.ravel().tolist() == [0, 0, 1, 2]
    with jax.default_device(jax.devices("treadle")[0]):
        for shift in range(1, 9):
            b = np.arange(16 * 37, dtype=np.int32).reshape(16, 37)
            down = jax.jit(lambda b: lax.dynamic_update_slice(b * 1 + 0, b[:-shift], (shift, 0)))(b)
            up = jax.jit(lambda b: lax.dynamic_update_slice(b, b[shift:], (0, 0)), donate_argnums=0)(jnp.asarray(b))
            np.testing.assert_array_equal(down, np.concatenate([b[:shift], b[:-shift]]))
            np.testing.assert_array_equal(up, np.concatenate([b[shift:], b[-shift:]]))


def test_grad_and_vmap(compare, rng):
    w, x = rng.standard_normal((7, 5)).astype(np.float32), rng.standard_normal((11, 7)).astype(np.float32)

    def loss(w, x):
        return jnp.sum(jnp.tanh(x @ w) ** 2) + jnp.sum(jax.nn.sigmoid(w))

    compare(jax.value_and_grad(loss, (0, 1)), w, x, rtol=1e-4, atol=1e-5)
    compare(jax.vmap(lambda r: jnp.outer(r, r).sum(0)), x, rtol=1e-4, atol=1e-5)
    compare(jax.vmap(jax.grad(lambda r: jnp.prod(jnp.cos(r)))), x, rtol=1e-4, atol=1e-5)


def test_loops(compare, rng):
    compare(lambda x: lax.fori_loop(0, 1000, lambda i, c: c * 0.999 + 0.001 * i, x), np.float32(1), rtol=1e-5)
    compare(lambda n: lax.while_loop(lambda c: c[1] < 100, lambda c: (jnp.where(c[0] % 2 == 0, c[0] // 2, 3 * c[0] + 1), c[1] + 1), (n, jnp.int32(0))), np.int32(97))
    x = rng.standard_normal((50, 6)).astype(np.float32)
    compare(lambda a: lax.scan(lambda c, v: (c * 0.9 + v, jnp.sin(c)), jnp.zeros(6), a), x, rtol=1e-5, atol=1e-5)
    compare(lambda a: lax.scan(lambda c, v: (c * 0.9 + v, c), jnp.zeros(6), a, reverse=True), x, rtol=1e-5, atol=1e-5)
    compare(lambda a: lax.scan(lambda c, v: (c, v), jnp.zeros(6), a[:0]), x)
    compare(jax.grad(lambda a: lax.scan(lambda c, v: (jnp.tanh(c + v), None), jnp.zeros(6), a)[0].sum()), x, rtol=1e-4, atol=1e-5)
    compare(lambda a: lax.fori_loop(0, 5, lambda _, c: (c[1], c[0]), (a, a + 1)), x)
    compare(lambda a: lax.fori_loop(0, 4, lambda _, c: (c[1], c[2], c[0]), (a, a + 1, a + 2)), x)
    compare(lambda a: lax.fori_loop(0, 3, lambda i, c: lax.fori_loop(0, i + 1, lambda j, d: d * 2 + j, c), a), x)
    compare(lambda a: lax.while_loop(lambda c: jnp.any(c != 0), lambda c: jnp.zeros_like(lax.fori_loop(0, 3, lambda i, s: s, c)), a), x)


def test_branches(compare, rng):
    x = rng.standard_normal(9).astype(np.float32)
    for flag in (True, False):
        compare(lambda p, a: lax.cond(p, lambda v: v * 2, lambda v: v - 1, a), np.bool_(flag), x)
    for k in (-5, 0, 1, 2, 7):
        compare(lambda i, a: lax.switch(i, [lambda v: v, lambda v: v * 2, lambda v: jnp.ones(9)], a), np.int32(k), x)
    compare(jax.grad(lambda a: lax.cond(a.sum() > 0, lambda v: (v**2).sum(), lambda v: (v**3).sum(), a)), x, rtol=1e-5)


def test_signatures(compare):
    compare(lambda: jnp.float32(3) + 1)
    compare(lambda x, y: (y, x, x, jnp.float32(3.0)), np.float32(1), np.arange(3))
    compare(lambda *a: sum(a), *[np.full(8, i, np.float32) for i in range(100)])
    compare(lambda x: {"a": (x, None), "b": []}, np.float32(1))
    compare(lambda x: (None, []), np.float32(1))
    compare(lambda: ())
    compare(lambda x, t: (x * 2, t[0] * 2.5, 3), 2, (True, None))
    compare(lambda x: x.reshape(()), np.ones((1, 1), np.float32))


def test_zero_sizes(compare):
    compare(lambda x: (x + 1, x.T, jnp.concatenate([x, jnp.ones((2, 3))]), x.sum(1)), np.zeros((0, 3), np.float32))
    compare(lambda a, b: a @ b, np.zeros((3, 0), np.float32), np.zeros((0, 4), np.float32))


def test_no_fast_math(compare):
    big = np.float32(1e8)
    compare(lambda x: ((x + 1) - x, jnp.isnan(x * 0 / 0), x != x, x * 1, 0 - x, -x), big)


def test_every_operation_rounds_to_its_own_type():
    """257 is not a bf16; jaxlib's CPU backend keeps excess precision."""
    device = jax.devices("treadle")[0]
    x = jax.device_put(np.float32(257), device)
    assert float(jax.jit(lambda x: (x.astype(jnp.bfloat16) + jnp.bfloat16(1)).astype(jnp.float32))(x)) == 256
