"""Integers of 4 bits and floats of up to 8 bits: conversions, arguments and results against jaxlib's CPU backend, bit for bit."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest

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
