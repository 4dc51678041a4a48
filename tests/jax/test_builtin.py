"""Common operations need no compilation: their code comes with Treadle (kernels/builtin_code.h)."""
import os
import subprocess
import sys

PROGRAM = """
import jax, jax.numpy as jnp, numpy as np
for shape in [(37, 53), (1000,), ()]:
    x = jax.device_put(np.full(shape, 0.5, np.float32))
    for f in [lambda x: x + 1, lambda x: 2.5 * x, lambda x: x - 3, jnp.sin, jnp.exp, jnp.tanh, jnp.abs,
              lambda x: x.astype(np.int32), lambda x: x > 0, lambda x: -x]:
        jax.jit(f)(x)
        f(x)
x = jax.device_put(np.ones((300, 500), np.float32))
for f in [jax.nn.relu, jax.nn.silu, jax.nn.gelu, jax.nn.softmax, jax.nn.log_softmax, jnp.sum, jnp.max, lambda x: x.sum(0), lambda x: x.sum(1), lambda x: x.max(1), lambda x: x.T,
          jnp.sort, jnp.argsort, lambda x: jnp.sort(x, 0), lambda x: jax.lax.top_k(x, 5)]:
    jax.jit(f)(x)
"""


def test_common_operations_are_not_compiled():
    environment = dict(os.environ, JAX_PLATFORMS="treadle", TREADLE_LOG="compile,kernels")
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "treadle: 0 kernels compiled" in done.stderr, done.stderr
