"""Integers of 4 bits and floats of up to 8 bits: conversions, arguments and results against jaxlib's CPU backend, bit for bit."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

FLOATS = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3", "float8_e3m4", "float4_e2m1fn"]
NUMBERS = np.concatenate([
    np.random.default_rng(0).normal(size=500) * 100, np.random.default_rng(1).normal(size=500) / 100, [0.0, -0.0, np.inf, -np.inf, np.nan, 448, 464, 465, 57344, 61440]
]).astype(np.float32)


@pytest.mark.parametrize("name", FLOATS)
def test_floats_round(compare, name):
    dtype = jnp.dtype(getattr(jnp, name))
    compare(lambda x: x.astype(dtype).astype(jnp.float32), NUMBERS, rtol=0, atol=0)


@pytest.mark.parametrize("name", FLOATS)
def test_floats_as_arguments_and_results(name):
    dtype = jnp.dtype(getattr(jnp, name))
    x = NUMBERS[np.isfinite(NUMBERS)].astype(dtype)
    device = jax.devices("treadle")[0]
    result = np.asarray(jax.jit(lambda v: v[::-1])(jax.device_put(x, device)))
    assert result.dtype == dtype
    np.testing.assert_array_equal(result.view(np.uint8), x[::-1].view(np.uint8))


def test_integers_wrap():
    device = jax.devices("treadle")[0]
    x = np.arange(-8, 8).astype(jnp.int4)
    result = np.asarray(jax.jit(lambda v: v + jnp.int4(3))(jax.device_put(x, device)))
    assert result.dtype == jnp.int4
    np.testing.assert_array_equal(result.astype(int), (np.arange(-8, 8) + 3 + 8) % 16 - 8)


@pytest.mark.parametrize("name", ["int2", "uint2", "int4", "uint4", "float4_e2m1fn"])
def test_of_a_byte_the_low_bits_count(compare, name):
    """Whatever the caller has above them."""
    compare(lambda x: (x.astype(jnp.float32), x[::-1].astype(jnp.float32) * 2), np.arange(256, dtype=np.uint8).view(jnp.dtype(getattr(jnp, name))), rtol=0, atol=0)


@pytest.mark.parametrize("name,low", [("int4", -8), ("uint4", 0)])
@pytest.mark.parametrize("n", [1, 2, 7, 16, 33, 255])
def test_halves_of_bytes_are_moved(every_way, rng, name, low, n):
    """Odd lengths and offsets, other orders."""
    dtype = jnp.dtype(getattr(jnp, name))
    wide = rng.integers(low, low + 16, (3, n))
    wide[:, : min(n, 16)] = np.arange(low, low + 16)[: min(n, 16)]
    x, odd = wide.astype(dtype), 1 if n > 2 else 0
    program = lambda x: [x, x[:, odd:], x[1], x[:, ::-1], x.T, jnp.concatenate([x[:, odd:], x], 1), x.reshape(-1)[odd:], jnp.pad(x, ((0, 1), (1, 0)), constant_values=5)]
    results = every_way(lambda x: (program(x), [v.astype(jnp.int8) for v in program(x)]), x)
    plain = [wide, wide[:, odd:], wide[1], wide[:, ::-1], wide.T, np.concatenate([wide[:, odd:], wide], 1), wide.reshape(-1)[odd:],
             np.pad(wide, ((0, 1), (1, 0)), constant_values=5)]
    for narrow, converted, want in zip(*results, plain):
        assert narrow.dtype == dtype
        np.testing.assert_array_equal(narrow.astype(int), want)
        np.testing.assert_array_equal(converted, want)


@pytest.mark.parametrize("name", ["int2", "uint2", "int4", "uint4"])
def test_shifts_and_bits(every_way, name):
    """Of all numbers, by all amounts, and what is counted: as if there were no more bits."""
    dtype, bits = jnp.dtype(getattr(jnp, name)), int(name[-1])
    low = 0 if name[0] == "u" else -(1 << bits - 1)
    x, s = np.meshgrid(np.arange(low, low + (1 << bits)), np.arange(low, low + (1 << bits)))
    unsigned, amount = x % (1 << bits), np.where((s >= 0) & (s < bits), s, bits)
    signed = np.where(unsigned >> bits - 1, unsigned - (1 << bits), unsigned)
    count = np.array([bin(v).count("1") for v in unsigned.ravel()]).reshape(x.shape)
    zeros = np.array([bits - int(v).bit_length() for v in unsigned.ravel()]).reshape(x.shape)
    want = unsigned << amount, unsigned >> amount, signed >> amount, ~unsigned, count, zeros
    program = lambda x, s: (lax.shift_left(x, s), lax.shift_right_logical(x, s), lax.shift_right_arithmetic(x, s), ~x, lax.population_count(x), lax.clz(x))
    for got, expected in zip(every_way(program, x.astype(dtype), s.astype(dtype)), want):
        np.testing.assert_array_equal(got.astype(int) % (1 << bits), expected % (1 << bits))


@pytest.mark.parametrize("name", ["int4", "uint4"])
def test_products_of_halves_of_bytes(every_way, rng, name):
    dtype = jnp.dtype(getattr(jnp, name))
    product = lambda a, b: jnp.matmul(a, b, preferred_element_type=jnp.int32)
    ones = np.ones((2, 256), dtype)
    np.testing.assert_array_equal(every_way(product, ones, ones.T), np.full((2, 2), 256))
    a, b = (rng.integers(-8 if name == "int4" else 0, 8 if name == "int4" else 16, s) for s in ((5, 33), (33, 7)))
    np.testing.assert_array_equal(every_way(product, a.astype(dtype), b.astype(dtype)), a @ b)
