"""What is not there yet says so, and harms nothing."""
import jax
import numpy as np
import pytest


def unknown_call(x):
    return jax.ffi.ffi_call("nobody_knows_it", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


@pytest.mark.parametrize("fn,name", [(unknown_call, "custom call @nobody_knows_it")])
def test_names_the_operation_and_the_line(fn, name):
    device = jax.devices("treadle")[0]
    x = jax.device_put(np.ones(8, np.float32), device)
    with pytest.raises(jax.errors.JaxRuntimeError) as error:
        jax.jit(fn)(x)
    text = str(error.value)
    assert "UNIMPLEMENTED" in text and name in text and "test_unimplemented.py" in text
    assert float(jax.jit(lambda v: v.sum())(x)) == 8.0


def test_what_jax_itself_knows_of():
    device = jax.devices("treadle")[0]
    with jax.default_device(device):
        x = jax.device_put(np.ones(8, np.float32), device)
        with pytest.raises((NotImplementedError, ValueError), match="treadle"):
            jax.jit(lambda x: jax.numpy.linalg.eigvals(x.reshape(2, 4)[:, :2]))(x)
        assert float(jax.jit(lambda v: v.sum())(x)) == 8.0
