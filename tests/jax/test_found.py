"""What random programs found: one small case each."""
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax


@pytest.mark.parametrize("count", range(1, 12))
def test_arguments_among_results(compare, rng, count):
    # As many results are copies as make any table of values grow in between.
    x = rng.uniform(-1, 1, (33, 5)).astype(np.float32)
    compare(lambda x: [lax.optimization_barrier(x) if k % 2 else x * (k + 1) for k in range(count)] + [x], x)


@pytest.mark.parametrize("shape, axis, to", [((2, 7, 1, 15), 3, (1, 7, 2, 1)), ((64, 4, 7), 1, (7, 64)), ((4, 64, 7), 0, (7, 64)),
                                             ((64, 4, 7), 1, (32, 2, 7)), ((6, 10, 30), 2, (15, 4))])
def test_reduction_reshaped_unevenly(compare, rng, shape, axis, to):
    x = rng.integers(-9, 10, shape).astype(np.float32)
    compare(lambda x: (jnp.sum(x, axis).reshape(to) + 1, lax.argmax(x, axis, np.int32).reshape(to)), x)
    compare(lambda x: (jnp.sum(x, axis).reshape(to) * jnp.arange(to[-1]), x - jnp.sum(x, axis, keepdims=True)), x)
