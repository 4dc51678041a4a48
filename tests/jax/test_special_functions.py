"""Special functions as JAX sends them: against SciPy in double precision."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest

scipy = pytest.importorskip("scipy.special")
TREADLE = jax.devices("treadle")[0]

FUNCTIONS = {
    "erf": (jax.scipy.special.erf, scipy.erf, -5, 5),
    "erfc": (jax.scipy.special.erfc, scipy.erfc, -5, 9),
    "erfinv": (jax.scipy.special.erfinv, scipy.erfinv, -0.9999, 0.9999),
    "gammaln": (jax.scipy.special.gammaln, scipy.gammaln, 0.01, 60),
    "digamma": (jax.scipy.special.digamma, scipy.digamma, 0.01, 60),
    "i1e": (jax.scipy.special.i1e, scipy.i1e, -30, 30),
    "i0e": (jax.scipy.special.i0e, scipy.i0e, -30, 30),
    "sinh": (jnp.sinh, np.sinh, -20, 20),
    "cosh": (jnp.cosh, np.cosh, -20, 20),
    "asinh": (jnp.arcsinh, np.arcsinh, -50, 50),
    "acosh": (jnp.arccosh, np.arccosh, 1, 50),
    "atanh": (jnp.arctanh, np.arctanh, -0.999, 0.999),
    "asin": (jnp.arcsin, np.arcsin, -1, 1),
    "acos": (jnp.arccos, np.arccos, -1, 1),
    "atan": (jnp.arctan, np.arctan, -50, 50),
    "tan": (jnp.tan, np.tan, -20, 20),
}


def ours(fn, *args):
    return np.asarray(jax.jit(fn)(*jax.device_put(args, TREADLE)))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_argument(rng, name):
    fn, exact, low, high = FUNCTIONS[name]
    x = rng.uniform(low, high, 4000).astype(np.float32)
    np.testing.assert_allclose(ours(fn, x), exact(x.astype(np.float64)), rtol=2e-5, atol=1e-6)
    for dtype, rtol in [(np.float16, 4e-3), (jnp.bfloat16, 3e-2)]:
        short = x[:300].astype(dtype)
        got = ours(fn, short)
        assert got.dtype == dtype
        wide = exact(short.astype(np.float64))
        inside = np.isfinite(wide) & (np.abs(wide) < 6e4)
        np.testing.assert_allclose(got.astype(np.float64)[inside], wide[inside], rtol=rtol, atol=rtol)


def test_two_arguments(rng):
    s, q = rng.uniform(1.1, 20, 1000).astype(np.float32), rng.uniform(0.05, 20, 1000).astype(np.float32)
    np.testing.assert_allclose(ours(jax.scipy.special.zeta, s, q), scipy.zeta(s.astype(np.float64), q.astype(np.float64)), rtol=1e-4)
    n = rng.integers(0, 5, 1000).astype(np.int32)
    np.testing.assert_allclose(ours(jax.scipy.special.polygamma, n, q), scipy.polygamma(n, q.astype(np.float64)), rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(ours(jnp.nextafter, s, q), np.nextafter(s, q))
    np.testing.assert_allclose(ours(jax.scipy.special.betainc, q, s, s / 21), scipy.betainc(q, s, (s / 21)), rtol=1e-3, atol=1e-5)


def test_random_distributions():
    key = jax.device_put(jax.random.key(0), TREADLE)
    got = jax.jit(lambda k: jax.random.gamma(k, 2.0, (2000,)))(key)
    assert abs(float(got.mean()) - 2) < 0.15
    got = jax.jit(lambda k: jax.random.normal(k, (5000,)))(key)
    assert abs(float(got.std()) - 1) < 0.05
