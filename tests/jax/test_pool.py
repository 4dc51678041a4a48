"""Pooling and its gradients: reduce_window under select_and_scatter."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

F32 = np.float32


def pool(window, strides, padding="VALID", init=-jnp.inf, op=lax.max):
    return lambda x: lax.reduce_window(x, np.asarray(init, x.dtype), op, window, strides, padding)


def gradient(fn):
    """Weighted, so that sources differ."""
    return jax.grad(lambda x: (fn(x) * jnp.sin(jnp.arange(fn(x).size, dtype=F32)).reshape(fn(x).shape)).sum().astype(F32))


@pytest.mark.parametrize("window,strides,padding", [
    ((1, 2, 2, 1), (1, 2, 2, 1), "VALID"), ((1, 3, 3, 1), (1, 2, 2, 1), "SAME"), ((1, 3, 3, 1), (1, 1, 1, 1), "SAME"), ((1, 2, 3, 1), (1, 3, 2, 1), "VALID"),
    ((1, 3, 2, 1), (1, 1, 2, 1), ((0, 0), (2, 1), (0, 3), (0, 0))), ((2, 1, 1, 3), (1, 1, 1, 2), "SAME"), ((1, 7, 7, 1), (1, 1, 1, 1), "SAME"), ((1, 1, 1, 1), (1, 2, 2, 1), "VALID")])
@pytest.mark.parametrize("ties", [False, True])
def test_max_pool(compare, rng, window, strides, padding, ties):
    x = rng.integers(0, 3, (2, 9, 10, 5)).astype(F32) if ties else rng.standard_normal((2, 9, 10, 5)).astype(F32)
    compare(gradient(pool(window, strides, padding)), x)
    compare(gradient(pool(window, strides, padding, jnp.inf, lax.min)), x)


@pytest.mark.parametrize("dtype", [np.float16, jnp.bfloat16])
def test_types(compare, rng, dtype):
    x = rng.standard_normal((2, 8, 8, 3)).astype(dtype)
    compare(gradient(pool((1, 3, 3, 1), (1, 2, 2, 1), "SAME")), x, rtol=1e-2, atol=1e-2)


def test_channels_first(compare, rng):
    x = rng.standard_normal((2, 5, 9, 10)).astype(F32)
    compare(gradient(pool((1, 1, 3, 3), (1, 1, 2, 2), "SAME")), x)
    compare(jax.vmap(gradient(pool((1, 2, 2), (1, 2, 2)))), x)


def test_average_pool(compare, rng):
    x = rng.standard_normal((2, 9, 10, 5)).astype(F32)
    compare(gradient(pool((1, 3, 3, 1), (1, 2, 2, 1), "SAME", 0.0, lax.add)), x, rtol=1e-5)


def test_empty(compare):
    compare(gradient(pool((1, 2, 2, 1), (1, 2, 2, 1))), np.ones((0, 4, 4, 3), F32))


RAW = """func.func public @main(%x: tensor<7xi32>, %s: tensor<4xi32>, %i: tensor<i32>) -> tensor<7xi32> {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{padding = dense<[[LOW, HIGH]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>, window_strides = array<i64: STRIDE>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare SELECT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %two = stablehlo.constant dense<2> : tensor<i32>
    %c = stablehlo.multiply %a, %two : tensor<i32>
    %d = stablehlo.subtract %c, %b : tensor<i32>
    stablehlo.return %d : tensor<i32>
  }) : (tensor<7xi32>, tensor<4xi32>, tensor<i32>) -> tensor<7xi32>
  return %0 : tensor<7xi32>
}"""


@pytest.mark.parametrize("low,high,stride", [(0, 5, 3), (2, 0, 2), (3, 4, 3), (-1, 0, 1), (1, -2, 1)])
@pytest.mark.parametrize("select", ["GE", "GT", "LT", "NE"])
def test_any_regions(low, high, stride, select):
    """Window after window, as the specification says: the first element stays chosen while select says so."""
    from jax._src.lib import xla_client
    from jaxlib import _jax

    device = jax.devices("treadle")[0]
    text = RAW.replace("LOW", str(low)).replace("HIGH", str(high)).replace("STRIDE", str(stride)).replace("SELECT", select)
    program = device.client.compile_and_load(text, _jax.DeviceList((device,)), xla_client.CompileOptions())
    x, s, init = np.array([3, 1, 3, 5, 5, -2, 4], np.int32), np.array([10, 20, 30, 40], np.int32), np.int32(7)
    want = np.full(7, init)
    for w in range(4):
        inside = [p for p in range(w * stride - low, w * stride - low + 3) if 0 <= p < 7]
        if not inside:
            continue
        chosen = inside[0]
        for p in inside[1:]:
            if not {"GE": x[chosen] >= x[p], "GT": x[chosen] > x[p], "LT": x[chosen] < x[p], "NE": x[chosen] != x[p]}[select]:
                chosen = p
        want[chosen] = want[chosen] * 2 - s[w]
    (got,) = program.execute([jax.device_put(a, device) for a in (x, s, init)])
    np.testing.assert_array_equal(np.asarray(got), want)
