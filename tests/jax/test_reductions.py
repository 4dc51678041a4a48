"""Reductions at their edges: nothing to reduce, odd types and regions, NaN and zeros of both signs, long sums of few bits."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

F32 = np.float32
TYPES = ["bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "bfloat16", "float32"]
LENGTHS = [3, 8, 9, 31, 64, 257, 1000]  # around vectors and what is left of them


@pytest.mark.parametrize("dtype", TYPES)
def test_over_no_dimensions(every_way, dtype):
    dtype = jnp.dtype(dtype)
    zero, x = np.zeros((), dtype), np.arange(3).astype(dtype)
    got = every_way(lambda z, x: (lax.reduce(z, z, lax.max, ()), lax.reduce(x, z, lax.max, ()), lax.reduce(x[:0], z, lax.max, (0,))), zero, x)
    for ours, want in zip(got, (zero, x, zero)):
        assert ours.dtype == dtype
        np.testing.assert_array_equal(ours, want)
    with jax.default_device(jax.devices("treadle")[0]):
        assert jax.jit(lambda: lax.reduce(zero, zero, lax.max, ()))() == 0


def test_of_nothing(every_way):
    x = np.zeros((3, 0), F32)
    results = every_way(lambda x: (x.sum(), x.sum(1), x.prod(1), x.max(1, initial=-5), x.min(initial=7), (x > 0).any(1), (x > 0).all(), jnp.argmax(x, 0),
                                   jnp.cumsum(x, 1), jnp.concatenate([x, x, jnp.ones((3, 2))], 1), x.T, jnp.transpose(x[None], (2, 0, 1)), jnp.sort(x)), x)
    expected = (0, [0] * 3, [1] * 3, [-5] * 3, 7, [False] * 3, True, np.zeros(0), x, np.ones((3, 2)), x.T, np.zeros((0, 1, 3)), x)
    for got, want in zip(results, expected):
        np.testing.assert_array_equal(got, want)
    assert every_way(lambda a, b: a @ b, x, x.T[:, :2]).tolist() == [[0, 0]] * 3
    with jax.default_device(jax.devices("treadle")[0]):
        assert np.asarray(jnp.ones((3, 4, 9, 0), jnp.uint8)).shape == (3, 4, 9, 0)


def test_regions_of_their_own(every_way, rng):
    """The operands in another order, and two arrays at once."""
    x = rng.integers(-50, 50, (20, 37)).astype(np.int32)
    larger = lambda a, b: tuple(jnp.where((a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1])), p, q) for p, q in zip(a, b))

    def program(x):
        best = lax.reduce((x, lax.broadcasted_iota(jnp.int32, x.shape, 1)), (np.int32(-(2**31)), np.int32(0)), larger, (1,))
        return (*best, lax.reduce(x, np.int32(3), lambda a, b: b + a, (0,)), lax.reduce(x, np.int32(255), lambda a, b: (b & a) & 0x7F, (0, 1)))

    value, place, total, common = every_way(program, x)
    np.testing.assert_array_equal(value, x.max(1))
    np.testing.assert_array_equal(place, x.argmax(1))
    np.testing.assert_array_equal(total, x.sum(0) + 3)
    assert common == np.bitwise_and.reduce(x, None) & 0x7F


@pytest.mark.parametrize("n", [1, 5, 8192, 8193])
def test_zeros_of_the_other_sign(every_way, n):
    """Of nothing but -0 the greatest is a zero, and starting from something else that may win."""
    x = np.full(n, -0.0, F32)
    program = lambda x: (x.max(), x.min(), (-x).max(), lax.reduce(x, F32(-3), lax.max, (0,)), lax.reduce(x, F32(2), lax.max, (0,)), lax.reduce(x, F32(2), lax.min, (0,)))
    assert [float(v) for v in every_way(program, x)] == [0, 0, 0, 0, 2, 0]


@pytest.mark.parametrize("n", LENGTHS)
def test_nan_wins_from_any_place(every_way, n):
    """One NaN a row, in each place: found by the greatest, the least and their places, over rows and columns."""
    x = np.tile(np.arange(n, dtype=F32) % 5, (n, 1))[: min(n, 70)]
    at = np.linspace(0, n - 1, len(x)).astype(int)
    x[np.arange(len(x)), at] = np.nan

    def program(x):
        return x.max(1), x.min(1), x.T.max(0), x.T.min(0), jnp.argmax(x, 1), jnp.argmin(x, 1), jnp.argmax(x.T, 0), jnp.argmin(x.T, 0)

    greatest, least, *more = every_way(program, x)
    for values in (greatest, least, *more[:2]):
        assert np.isnan(values).all()
    for places in more[2:]:
        np.testing.assert_array_equal(places, at)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_places_among_nan(every_way, dtype):
    dtype = jnp.dtype(dtype)
    half = np.concatenate([np.zeros(50), np.full(50, np.nan)]).astype(dtype)
    for x, place in [(np.array([0, 1, np.nan], dtype), 2), (np.full(3, np.nan, dtype), 0), (np.full(1000, np.nan, dtype), 0), (half, 50), (half[::-1].copy(), 0)]:
        assert [int(i) for i in every_way(lambda x: (jnp.argmax(x), jnp.argmin(x)), x)] == [place, place]


@pytest.mark.parametrize("n", LENGTHS)
def test_nan_wins_from_either_side(every_way, n):
    x, nan = np.arange(n, dtype=F32), np.full(n, np.nan, F32)
    program = lambda a, b: (jnp.maximum(a, b), jnp.maximum(b, a), jnp.minimum(a, b), jnp.minimum(b, a), lax.clamp(a, b, a + 1), lax.clamp(b, a, a + 1), lax.clamp(a, a, b))
    for values in every_way(program, x, nan):
        assert np.isnan(values).all()


def test_long_sums_of_few_bits(every_way, rng):
    x = rng.uniform(0, 1, 10_000).astype(jnp.bfloat16)
    total, columns = every_way(lambda x: (x.sum(), jnp.broadcast_to(x[:, None], (10_000, 3)).sum(0)), x)
    exact = x.astype(np.float64).sum()
    assert abs(float(total) - exact) <= 32 and np.abs(columns.astype(np.float64) - exact).max() <= 32  # half of the last place
    ones = np.ones(10**5, np.float16)
    assert every_way(jnp.mean, ones) == 1
