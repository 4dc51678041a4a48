"""reduce_window: pooling and cumulative operations."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

F32 = np.float32


def pool(init, op, window, strides, padding, **dilations):
    return lambda x: lax.reduce_window(x, jnp.asarray(init, x.dtype), op, window, strides, padding, **dilations)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("strides", [(1, 1, 1, 1), (1, 2, 2, 1)])
def test_pools(compare, rng, padding, strides):
    x = rng.standard_normal((2, 13, 16, 5)).astype(F32)
    compare(pool(-np.inf, lax.max, (1, 3, 3, 1), strides, padding), x)
    compare(pool(0, lax.add, (1, 3, 2, 1), strides, padding), x)
    y = x.transpose(0, 3, 1, 2).copy()
    compare(pool(np.inf, lax.min, (1, 1, 3, 3), (1, 1) + strides[1:3], padding), y)


def test_dilations_and_negative_padding(compare, rng):
    x = rng.standard_normal((9, 17)).astype(F32)
    compare(pool(0, lax.add, (3, 2), (2, 1), ((1, 2), (-1, 3)), base_dilation=(2, 1), window_dilation=(1, 3)), x)
    compare(pool(-np.inf, lax.max, (5, 1), (1, 1), ((4, 0), (0, 0)), window_dilation=(2, 1)), x)


def test_padding_holds_the_initial_value(rng):
    """As the specification says; jaxlib's CPU backend takes initial values for neutral."""
    x = rng.standard_normal(20).astype(F32)
    ours = np.asarray(jax.jit(pool(1.5, lax.add, (20,), (1,), ((19, 0),)))(jax.device_put(x, jax.devices("treadle")[0])))
    padded = np.concatenate([np.full(19, 1.5, np.float64), x])
    np.testing.assert_allclose(ours, [1.5 + padded[i:i + 20].sum() for i in range(20)], rtol=1e-5)


def test_large_windows(compare, rng):
    x = rng.standard_normal((3, 400)).astype(F32)
    compare(pool(0, lax.add, (1, 100), (1, 1), "VALID"), x, rtol=1e-4, atol=1e-4)
    compare(pool(-np.inf, lax.max, (2, 51), (1, 7), "SAME"), x)


CUMULATIVE = {"sum": jnp.cumsum, "prod": jnp.cumprod, "max": lax.cummax, "min": lax.cummin, "logsumexp": lax.cumlogsumexp}


@pytest.mark.parametrize("name", CUMULATIVE)
@pytest.mark.parametrize("shape,axis", [((1,), 0), ((5000,), 0), ((7, 33), 1), ((33, 7), 0), ((3, 40, 5), 1), ((64, 100), 0), ((2, 9000), 1)])
def test_cumulative(compare, rng, name, shape, axis):
    x = rng.uniform(0.9, 1.1, shape).astype(F32)
    compare(lambda x: CUMULATIVE[name](x, axis=axis), x, rtol=1e-4)


@pytest.mark.parametrize("reverse", [False, True])
def test_directions_and_types(compare, rng, reverse):
    for dtype in ["int32", "int8", "uint16", "float16", "bfloat16", "bool"]:
        x = np.asarray(jnp.asarray(rng.integers(0, 2, (5, 60)), dtype))
        if dtype != "bool":
            compare(lambda x: lax.cumsum(x, axis=1, reverse=reverse), x)
            compare(lambda x: lax.cummax(x, axis=0, reverse=reverse), x)
        compare(lambda x: jnp.cumsum(x, axis=1), x)


def test_special_values(compare):
    x = np.array([0.0, -0.0, np.inf, 1, np.nan, 2, -np.inf], F32)
    compare(lambda x: (jnp.cumsum(x), jnp.cumprod(x), lax.cummax(x), lax.cummin(x, reverse=True)), x)
    minus = np.full(5, -0.0, F32)
    ours = compare(lambda x: jnp.cumsum(x), minus)
    assert not np.signbit(ours).any()


def test_what_uses_them(compare, rng):
    x = rng.standard_normal((6, 50)).astype(F32)
    compare(lambda x: (jnp.nonzero(x[0] > 0, size=10), jnp.tril_indices(5), jnp.cumsum(jnp.exp(x) * 2, 1)), x, rtol=1e-5)
    compare(jax.grad(lambda x: (jnp.cumsum(x, 1) ** 2).sum()), x, rtol=1e-4, atol=1e-4)
    compare(jax.grad(lambda x: (jnp.cumprod(x, 1)).sum()), 1 + x / 50, rtol=1e-4, atol=1e-3)
    compare(lambda x: lax.associative_scan(lambda a, b: a * 0.5 + b, x, axis=1), x, rtol=1e-5, atol=1e-5)
    compare(jax.vmap(lambda r: jnp.cumsum(r)), x, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(8, 8), (64, 128), (3, 1)])
@pytest.mark.parametrize("op,init,reduce", [(lax.max, -np.inf, np.maximum), (lax.min, np.inf, np.minimum), (lax.add, 0, np.add)])
def test_spread_where_windows_are_single(every_way, rng, shape, op, init, reduce):
    """Between the elements windows see nothing but the initial value."""
    x = rng.standard_normal(shape).astype(F32)
    pools = lambda spread: pool(init, op, (2, 1), (2, 1), ((0, 0), (0, 0)), base_dilation=(1, spread))
    two, three = every_way(lambda x: (pools(2)(x), pools(3)(x)), x)
    pairs = reduce(x[: shape[0] // 2 * 2 : 2], x[1 : shape[0] // 2 * 2 : 2])
    for got, spread in ((two, 2), (three, 3)):
        expected = np.full((shape[0] // 2, (shape[1] - 1) * spread + 1), init, F32)
        expected[:, ::spread] = pairs
        np.testing.assert_array_equal(got, expected)


def test_regions_of_their_own(compare, rng):
    x = rng.integers(0, 256, (40, 30)).astype(np.int32)
    masked = lambda a, b: (a | b) & 0xFF
    compare(lambda x: lax.reduce_window(x, np.int32(0), masked, (3, 4), (1, 2), "VALID"), x)
    compare(lambda x: lax.reduce_window(x, np.int32(0), lambda a, b: b + a, (5, 1), (1, 1), "SAME"), x)
    larger = lambda a, b: tuple(jnp.where(a[0] >= b[0], p, q) for p, q in zip(a, b))
    compare(lambda x: lax.reduce_window((x, lax.broadcasted_iota(jnp.int32, x.shape, 1)), (np.int32(-1), np.int32(-1)), larger, (1, 4), (1, 3), "VALID"), x)
