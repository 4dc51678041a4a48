"""Random numbers: the same bits as on jaxlib's CPU backend; what goes through logarithms and the like within a few ulp."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax import random as R

KEY = np.array([0, 42], np.uint32)

BITS = {
    "bits": lambda k: (R.bits(k, (1000,)), R.bits(k, (7, 3), dtype=jnp.uint8), R.bits(k, (33,), dtype=jnp.uint16)),
    "split": lambda k: (R.split(k, 7), R.fold_in(k, 5)),
    "uniform": lambda k: (R.uniform(k, (1001,)), R.uniform(k, (5, 9), jnp.bfloat16)),
    "randint": lambda k: (R.randint(k, (1000,), -5, 77), R.randint(k, (3, 5), 0, 200, jnp.uint8)),
    "permutation": lambda k: (R.permutation(k, 1000), R.permutation(k, jnp.arange(24).reshape(6, 4)), R.permutation(k, jnp.arange(24).reshape(6, 4), independent=True)),
    "choice": lambda k: (R.choice(k, 50, (10,), replace=False), R.choice(k, 5, (100,), p=jnp.array([0.1, 0.2, 0.3, 0.2, 0.2]))),
    "bernoulli": lambda k: (R.bernoulli(k, 0.3, (100,)), R.rademacher(k, (50,))),
    "categorical": lambda k: R.categorical(k, jnp.log(jnp.array([0.1, 0.2, 0.7])), shape=(100,)),
    "poisson": lambda k: R.poisson(k, 3.0, (20,)),
}
REALS = {
    "scaled": lambda k: R.uniform(k, (100,), minval=-3.0, maxval=2.0),
    "normal": lambda k: (R.normal(k, (1000,)), R.truncated_normal(k, -1, 1, (100,))),
    "exponential": lambda k: (R.exponential(k, (100,)), R.laplace(k, (100,)), R.gumbel(k, (100,)), R.cauchy(k, (50,))),
    "gamma": lambda k: (R.gamma(k, 2.0, (20,)), R.beta(k, 2.0, 3.0, (20,)), R.dirichlet(k, jnp.ones(3), (5,)), R.t(k, 3.0, (20,))),
}


@pytest.mark.parametrize("name", BITS)
def test_same_bits(compare, name):
    compare(BITS[name], KEY, rtol=0, atol=0)


@pytest.mark.parametrize("name", REALS)
def test_same_numbers(compare, name):
    compare(REALS[name], KEY, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("algorithm", ["default", "three_fry", "philox"])
@pytest.mark.parametrize("shape", [(), (5,), (3, 4, 7), (1001,), (4, 0)])
def test_bit_generator(compare, algorithm, shape):
    which = {"default": lax.RandomAlgorithm.RNG_DEFAULT, "three_fry": lax.RandomAlgorithm.RNG_THREE_FRY, "philox": lax.RandomAlgorithm.RNG_PHILOX}[algorithm]
    for dtype in ["uint8", "uint16", "uint32"]:
        for key in [np.array([1, 2, 3, 4], np.uint32), np.array([0xFFFFFFFF] * 4, np.uint32)]:
            compare(lambda k: lax.rng_bit_generator(k, shape, dtype=jnp.dtype(dtype), algorithm=which), key, rtol=0, atol=0)


def test_rbg_keys(compare):
    def draw(data):
        key = R.wrap_key_data(data, impl="rbg")
        a, b = R.split(key)
        return R.uniform(a, (50,)), R.bits(b, (3, 3)), R.randint(key, (10,), 0, 1000)

    compare(draw, np.array([1, 2, 3, 4], np.uint32), rtol=0, atol=0)


@pytest.mark.parametrize("wide,narrow", [("uint32", "uint8"), ("float32", "int16"), ("int32", "bfloat16"), ("float32", "uint8"), ("uint16", "int8")])
def test_bitcasts_between_widths(compare, rng, wide, narrow):
    x = rng.integers(0, 255, (3, 5, 4), dtype=np.uint8).repeat(4, axis=-1)
    ratio = np.dtype(jnp.dtype(wide)).itemsize // np.dtype(jnp.dtype(narrow)).itemsize
    values = x[..., : 4 * np.dtype(jnp.dtype(wide)).itemsize].copy().view(jnp.dtype(wide))
    compare(lambda v: lax.bitcast_convert_type(v, jnp.dtype(narrow)), values, rtol=0, atol=0)
    parts = x[..., : ratio * np.dtype(jnp.dtype(narrow)).itemsize].copy().view(jnp.dtype(narrow))
    compare(lambda v: lax.bitcast_convert_type(v, jnp.dtype(wide)), parts, rtol=0, atol=0)
