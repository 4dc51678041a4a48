"""Convolutions of all kinds, and their gradients."""
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

F32 = np.float32
NHWC, NCHW = ("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW")


def numbers(rng, shape, dtype=F32):
    kind = np.dtype(dtype).kind
    if kind in "iu":
        return rng.integers(-9 if kind == "i" else 0, 9, shape).astype(dtype)
    if kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def conv(strides=(1, 1), padding="SAME", dims=NHWC, **options):
    return lambda x, w: lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=dims, **options)


# name: function, image, kernel
CASES = {
    "1x1": (conv(), (2, 9, 11, 33), (1, 1, 33, 20)),
    "1x1_stride2": (conv((2, 2)), (2, 9, 11, 33), (1, 1, 33, 20)),
    "3x3": (conv(), (2, 9, 11, 17), (3, 3, 17, 40)),
    "3x3_stride2": (conv((2, 2)), (2, 9, 11, 17), (3, 3, 17, 40)),
    "3x3_valid": (conv(padding="VALID"), (2, 9, 11, 17), (3, 3, 17, 40)),
    "7x7_stem": (conv((2, 2)), (1, 32, 30, 3), (7, 7, 3, 24)),
    "one_output": (conv(), (1, 12, 13, 8), (3, 3, 8, 1)),
    "negative_padding": (conv(padding=((-1, 2), (3, -2))), (1, 12, 13, 8), (3, 3, 8, 5)),
    "rhs_dilated": (conv(rhs_dilation=(2, 3)), (1, 20, 21, 6), (3, 3, 6, 7)),
    "lhs_dilated": (conv(padding=((1, 2), (2, 1)), lhs_dilation=(2, 3)), (2, 7, 8, 6), (4, 4, 6, 7)),
    "both_dilated": (conv((3, 2), ((1, 2), (2, 1)), lhs_dilation=(2, 3), rhs_dilation=(3, 2)), (2, 9, 9, 6), (4, 3, 6, 7)),
    "groups": (conv(feature_group_count=4), (2, 9, 11, 32), (3, 3, 8, 16)),
    "depthwise": (conv(feature_group_count=35), (2, 9, 11, 35), (3, 3, 1, 35)),
    "depthwise_stride2": (conv((2, 2), feature_group_count=24), (2, 9, 11, 24), (5, 5, 1, 24)),
    "depthwise_multiplier": (conv(feature_group_count=12), (2, 9, 11, 12), (3, 3, 1, 36)),
    "batch_groups": (lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=NHWC, batch_group_count=3), (6, 9, 11, 5), (3, 3, 5, 12)),
    "nchw": (conv(dims=NCHW), (2, 17, 9, 11), (40, 17, 3, 3)),
    "nchw_one": (conv((2, 1), dims=NCHW), (1, 17, 9, 11), (40, 17, 3, 3)),
    "nchw_depthwise": (conv(dims=NCHW, feature_group_count=20), (2, 20, 9, 11), (20, 1, 3, 3)),
    "1d": (lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", rhs_dilation=(4,), dimension_numbers=("NWC", "WIO", "NWC")), (3, 100, 8), (3, 8, 20)),
    "1d_long": (lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NCW", "OIW", "NCW")), (2, 1, 500), (1, 1, 101)),
    "3d": (lambda x, w: lax.conv_general_dilated(x, w, (1, 2, 1), "SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC")), (2, 5, 6, 7, 4), (3, 3, 3, 4, 9)),
    "0d": (lambda x, w: lax.conv_general_dilated(x, w, (), (), dimension_numbers=("NC", "IO", "NC")), (7, 5), (5, 9)),
    "transpose": (lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), (2, 8, 9, 12), (4, 4, 12, 10)),
    "transpose_valid": (lambda x, w: lax.conv_transpose(x, w, (3, 1), "VALID", transpose_kernel=True), (2, 8, 9, 12), (4, 3, 10, 12)),
}


@pytest.mark.parametrize("name", CASES)
def test_forward(compare, rng, name):
    fn, image, kernel = CASES[name]
    compare(fn, numbers(rng, image), numbers(rng, kernel), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", CASES)
def test_gradients(compare, rng, name):
    fn, image, kernel = CASES[name]
    compare(jax.grad(lambda x, w: (fn(x, w) ** 2).sum(), (0, 1)), numbers(rng, image), numbers(rng, kernel), rtol=1e-3, atol=2e-2)


@pytest.mark.parametrize("dtype", [np.float16, jnp.bfloat16, np.int8, np.uint8, np.int16, np.int32, np.uint32, np.complex64])
@pytest.mark.parametrize("name", ["3x3", "lhs_dilated", "depthwise", "groups"])
def test_types(compare, rng, dtype, name):
    fn, image, kernel = CASES[name]
    tolerance = {"float16": 4e-3, "bfloat16": 2e-2, "complex64": 1e-4}.get(np.dtype(dtype).name, 0)
    compare(fn, numbers(rng, image, dtype), numbers(rng, kernel, dtype), rtol=tolerance, atol=10 * tolerance)


def test_preferred_types(compare, rng):
    wide = lambda to: conv(preferred_element_type=to)
    compare(wide(np.int32), numbers(rng, (1, 8, 8, 16), np.int8), numbers(rng, (3, 3, 16, 8), np.int8))
    compare(wide(np.float32), numbers(rng, (1, 8, 8, 16), jnp.bfloat16), numbers(rng, (3, 3, 16, 8), jnp.bfloat16), rtol=1e-4, atol=1e-4)


def test_double(compare, rng):
    with jax.enable_x64(True):
        compare(conv(), numbers(rng, (2, 9, 11, 17), np.float64), numbers(rng, (3, 3, 17, 40), np.float64), rtol=1e-12, atol=1e-12)
        compare(conv(feature_group_count=6), numbers(rng, (2, 9, 11, 6), np.int64), numbers(rng, (3, 3, 1, 6), np.int64))
        compare(conv(), numbers(rng, (2, 9, 11, 7), np.complex128), numbers(rng, (3, 3, 7, 5), np.complex128), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("image,kernel", [((0, 8, 8, 3), (3, 3, 3, 4)), ((2, 0, 8, 3), (3, 3, 3, 4)), ((2, 8, 8, 0), (3, 3, 0, 4)), ((2, 8, 8, 3), (3, 3, 3, 0))])
def test_empty(compare, image, kernel):
    compare(conv(), np.ones(image, F32), np.ones(kernel, F32))


@pytest.mark.parametrize("channels", [8, 32])
@pytest.mark.parametrize("dtype", [F32, jnp.bfloat16, np.int32], ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("low,high,stride,dilation", [(-5, 1, 1, 1), (2, -3, 1, 1), (-5, 1, 2, 1), (-3, 0, 2, 2), (1, -4, 1, 3), (-2, -5, 1, 2)])
def test_negative_padding_crops_its_own_rows(every_way, channels, dtype, low, high, stride, dilation):
    """A kernel of one point that changes nothing, against NumPy: spread, then cut."""
    h, w, c = np.ogrid[:7, :6, :channels]
    x = ((8 * h + w + c) % 251)[None].astype(dtype)  # which a bf16 can tell apart
    one = np.eye(channels).astype(dtype)[None, None]
    got = every_way(conv((1, stride), ((0, 0), (low, high)), lhs_dilation=(1, dilation)), x, one)
    spread = np.zeros((1, 7, 5 * dilation + 1, channels), dtype)
    spread[:, :, ::dilation] = x
    positions = np.arange(-low, spread.shape[2] + high, stride)
    inside = (positions >= 0) & (positions < spread.shape[2])
    expected = np.where(inside[:, None], spread[:, :, positions.clip(0, spread.shape[2] - 1)], np.zeros((), dtype))
    np.testing.assert_array_equal(got, expected)


def test_transposed_convolutions_do_no_more_work():
    """Zeros between the pixels are not multiplied: the time is that of the convolution the other way, within a generous factor."""
    device = jax.devices("treadle")[0]
    stride = 8
    small, large = (jax.device_put(np.ones((1, n, n, 16), F32), device) for n in (16, 16 * stride))
    w = jax.device_put(np.ones((stride, stride, 16, 16), F32), device)
    up = jax.jit(lambda x, w: lax.conv_transpose(x, w, (stride, stride), "VALID"))
    down = jax.jit(lambda x, w: conv((stride, stride), "VALID")(x, w))

    def quickest(fn, x):
        times = []
        for _ in range(8):
            start = time.perf_counter()
            fn(x, w).block_until_ready()
            times.append(time.perf_counter() - start)
        return min(times)

    assert quickest(up, small) < 12 * quickest(down, large)


def test_vmap(compare, rng):
    x, w = numbers(rng, (3, 2, 8, 9, 5)), numbers(rng, (3, 3, 3, 5, 7))
    compare(jax.vmap(conv()), x, w, rtol=1e-4, atol=1e-4)
    compare(jax.vmap(conv(), (0, None)), x, w[0], rtol=1e-4, atol=1e-4)
    compare(jax.vmap(conv(), (None, 0)), x[0], w, rtol=1e-4, atol=1e-4)
    compare(jax.vmap(jax.grad(lambda x, w: (conv()(x, w) ** 2).sum(), 1)), x, w, rtol=1e-3, atol=1e-2)


def test_in_a_network(compare, rng):
    def loss(params, x):
        w1, b1, w2, w3 = params
        y = jax.nn.relu(conv((2, 2))(x, w1) + b1)
        y = jax.nn.relu(conv(feature_group_count=16)(y, w2))
        y = lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return (y.mean((1, 2)) @ w3).var()

    params = numbers(rng, (3, 3, 3, 16)), numbers(rng, (16,)), numbers(rng, (3, 3, 1, 16)), numbers(rng, (16, 5))
    compare(loss, params, numbers(rng, (4, 16, 16, 3)), rtol=1e-4, atol=1e-4)


def test_in_a_loop(compare, rng):
    w = numbers(rng, (3, 3, 4, 4)) / 6
    compare(lambda x: lax.fori_loop(0, 5, lambda i, x: jnp.tanh(conv()(x, w)), x), numbers(rng, (1, 6, 7, 4)), rtol=1e-4, atol=1e-4)


def test_what_does_not_fit_is_an_error():
    """Raw programs: JAX itself checks shapes."""
    from jax._src.lib import xla_client
    from jaxlib import _jax

    device = jax.devices("treadle")[0]
    text = """func.func public @main(%a: tensor<1x8x8x3xf32>, %b: tensor<3x3x4x5xf32>) -> tensor<1x6x6x5xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x4x5xf32>) -> tensor<1x6x6x5xf32> loc("model.py":7:3)
  return %0 : tensor<1x6x6x5xf32>
}"""
    with pytest.raises(Exception, match="(?s)model.py.*feature"):
        device.client.compile_and_load(text, _jax.DeviceList((device,)), xla_client.CompileOptions())
