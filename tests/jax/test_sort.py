"""Sorting: all ways that JAX asks for it, on every type, along every axis, with what is special in floats."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import on, run_text
from jax import lax

FLOATS = [np.float32, np.float16, jnp.bfloat16]
INTEGERS = [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32]


def values(rng, shape, dtype, special=True):
    """Many equal ones; floats with NaN of both signs, zeros of both signs, infinities and denormals among them."""
    if np.dtype(dtype) == np.bool_:
        return rng.integers(0, 2, shape).astype(np.bool_)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        x = rng.integers(-9 if info.min else 0, 9, shape).astype(dtype)
        return np.where(rng.random(shape) < 0.2, rng.choice(np.array([info.min, info.max], dtype), shape), x)
    x = rng.integers(-9, 9, shape).astype(np.float32)
    if special:
        odd = np.array([np.nan, -np.nan, -0.0, 0.0, np.inf, -np.inf, 1e-40, -1e-40, 6e-8], np.float32)
        x = np.where(rng.random(shape) < 0.3, rng.choice(odd, shape), x)
    return x.astype(dtype)


def same_bits(fn, *args):
    """Sorting moves elements: the bits are those of jaxlib, NaNs and zeros included."""
    ours, theirs = jax.tree.leaves(on("treadle", fn, args)), jax.tree.leaves(on("cpu", fn, args))
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        assert a.shape == b.shape and a.dtype == b.dtype
        integer = f"u{a.dtype.itemsize}"
        np.testing.assert_array_equal(a.view(integer), b.view(integer))
    return ours


SHAPES = [(1,), (2,), (3,), (7,), (16,), (33,), (100,), (1000,), (0,), (3, 0), (5, 40), (40, 5), (3, 65, 17), (1, 70, 1), (2, 3, 4, 5)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes_and_axes(rng, shape):
    x = values(rng, shape, np.float32)
    for axis in range(-1, len(shape) - 1):
        same_bits(lambda x: (jnp.sort(x, axis), jnp.argsort(x, axis)), x)
    same_bits(lambda x: jnp.sort(x, None), x)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS + [np.bool_], ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("shape", [(11, 37), (300,)], ids=str)
def test_types(rng, dtype, shape):
    x, y = values(rng, shape, dtype), values(rng, shape, np.int32)
    for axis in range(len(shape)):
        same_bits(lambda x: (jnp.sort(x, axis), jnp.sort(x, axis, descending=True)), x)
        same_bits(lambda x: (jnp.argsort(x, axis), jnp.argsort(x, axis, descending=True)), x)
        same_bits(lambda x, y: (lax.sort((x, y), axis, num_keys=1), lax.sort((y, x), axis, num_keys=2)), x, y)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64], ids=lambda t: np.dtype(t).name)
def test_wide_types(rng, dtype):
    with jax.enable_x64(True):
        x = values(rng, (9, 130), dtype)
        x[0, :3] = [2**40, 5, 2**33]
        for axis in range(2):
            same_bits(lambda x: (jnp.sort(x, axis), jnp.argsort(x, axis), jnp.sort(x, axis, descending=True)), x)
            same_bits(lambda x: lax.sort((x, x + 1, -x), axis, num_keys=3), x)


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 4097, 20000, 70001])
def test_lengths(rng, n):
    """Against NumPy, too: random, sorted, reversed, constant."""
    random = rng.standard_normal(n).astype(np.float32)
    for x in (random, np.sort(random), np.sort(random)[::-1].copy(), np.full(n, 2, np.float32), np.round(random)):
        sorted_, order = on("treadle", lambda x: (jnp.sort(x), jnp.argsort(x)), (x,))
        np.testing.assert_array_equal(sorted_, np.sort(x))
        np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))


def test_many_keys(rng):
    a, b, c, d = (values(rng, (6, 50), t) for t in (np.float32, np.int8, np.uint32, jnp.bfloat16))
    for keys in range(1, 5):
        same_bits(lambda *x: lax.sort(x, num_keys=keys), a, b, c, d)
        same_bits(lambda *x: lax.sort(x, 0, num_keys=keys), d, c, b, a)
    same_bits(lambda *x: jnp.lexsort(x), a, b, c)
    same_bits(lambda *x: jnp.lexsort(x, axis=0), b, d)


def test_operands_that_are_one_value(rng):
    x = values(rng, (50,), np.float32)
    same_bits(lambda x: lax.sort((x, x, lax.iota(jnp.int32, 50), x), num_keys=2), x)
    same_bits(lambda x: lax.sort((jnp.zeros(50), x), num_keys=1), x)
    same_bits(lambda x: lax.sort((x, jnp.ones(50, jnp.int8)), num_keys=1), x)


@pytest.mark.parametrize("n,k", [(1, 1), (8, 3), (8, 8), (100, 1), (100, 17), (1000, 0), (1000, 64), (5000, 4000), (4096, 128)])
def test_top_k(rng, n, k):
    for dtype in FLOATS + [np.int32, np.uint8]:
        x = values(rng, (3, n), dtype)
        ours = same_bits(lambda x: lax.top_k(x, k), x)
        if np.dtype(dtype).kind in "iu":
            order = np.argsort(-x.astype(np.int64), axis=-1, kind="stable")[:, :k]
            np.testing.assert_array_equal(ours[1], order)
    same_bits(lambda x: lax.top_k(x, min(k, 2), axis=0), values(rng, (4, n), np.float32))
    same_bits(lambda x: (jnp.sort(x)[:, :k], jnp.argsort(x)[:, :k]), values(rng, (3, n), np.float32))


def test_transformations(compare, rng):
    x = rng.standard_normal((5, 33)).astype(np.float32)
    same_bits(jax.vmap(jnp.sort), x)
    same_bits(jax.vmap(jnp.argsort, in_axes=1, out_axes=1), x)
    same_bits(jax.vmap(lambda x: lax.top_k(x, 4), in_axes=1), x)
    same_bits(lambda x: jnp.sort(x * 2 + 1, 0) + jnp.sort(-x, 0), x)
    compare(lambda x, t: jax.jvp(jnp.sort, (x,), (t,))[0], x, x + 1)


def test_inside_control_flow(compare, rng):
    x = rng.standard_normal((4, 40)).astype(np.float32)
    compare(lambda x: lax.scan(lambda c, row: (jnp.sort(c + row), c[0]), jnp.zeros(40), x), x)
    compare(lambda x: lax.fori_loop(0, 5, lambda i, c: jnp.sort(c * 1.5 - i, 0), x), x)
    compare(lambda x: lax.while_loop(lambda c: c[0, 0] > -9, lambda c: jnp.sort(c - 1, 1), x), x)
    compare(lambda x: lax.cond(x[0, 0] > 0, lambda x: jnp.sort(x), lambda x: jnp.argsort(x).astype(jnp.float32), x), x)
    compare(lambda x: lax.fori_loop(0, 3, lambda i, c: lax.top_k(c, 5)[0].sum() + c, x), x)


def test_ranks_and_order_statistics(compare, rng):
    x = rng.standard_normal((7, 31)).astype(np.float32)
    compare(lambda x: jnp.argsort(jnp.argsort(x)), x)
    compare(lambda x: jnp.sort(x)[:, 15], x)
    compare(lambda x: jnp.mean(jnp.sort(x, 0)[1:-1], 0), x)
    compare(lambda a, v: jnp.searchsorted(jnp.sort(a), v, method="compare_all"), x[0], x[1])


def test_what_is_built_on_sorting(compare, rng):
    x = rng.standard_normal((7, 31)).astype(np.float32)
    compare(lambda x: jnp.median(x, 1), x)
    compare(lambda x: jnp.quantile(x, jnp.array([0.1, 0.5, 0.9]), axis=0), x)
    compare(lambda x: jnp.percentile(x, 30.0), x)
    i = rng.integers(0, 9, 60).astype(np.int32)
    compare(lambda i: jnp.unique(i, size=12, fill_value=-1, return_inverse=True, return_counts=True), i)
    compare(lambda a, v: jnp.searchsorted(jnp.sort(a), v, method="sort"), x[0], x[1])
    compare(lambda x: jnp.take_along_axis(x, jnp.argsort(x, 1), 1), x)
    compare(jax.grad(lambda x: (jnp.sort(x, 1)[:, :5] ** 2).sum()), x)
    compare(jax.grad(lambda x: (lax.top_k(x, 3)[0] ** 2).sum()), x)
    compare(jax.grad(lambda x: jnp.median(x, 0).sum()), x)
    compare(lambda x: lax.top_k(-jnp.abs(x), 4)[1], x)
    compare(lambda x: jnp.partition(x, 4, axis=1)[:, :4].sum(1), x)


def test_sharing_memory(rng):
    """The operand is wanted again, and donated."""
    x = rng.standard_normal((3, 50)).astype(np.float32)
    same_bits(lambda x: (jnp.sort(x), x, jnp.sort(x) - x), x)
    device = jax.devices("treadle")[0]
    sort = jax.jit(jnp.sort, donate_argnums=0)
    np.testing.assert_array_equal(np.asarray(sort(jax.device_put(x, device))), np.sort(x))


def comparator_program(body, types):
    arguments = ", ".join(f"%a{i}: tensor<{t}>, %b{i}: tensor<{t}>" for i, t in enumerate(types))
    tensors = ", ".join(f"tensor<2x9x{t}>" for t in types)
    names = ", ".join(f"%x{i}" for i in range(len(types)))
    inputs = ", ".join(f"%x{i}: tensor<2x9x{t}>" for i, t in enumerate(types))
    results = ", ".join(f"%r#{i}" for i in range(len(types))) if len(types) > 1 else "%r"
    count = f":{len(types)}" if len(types) > 1 else ""
    return f"""func.func @main({inputs}) -> ({tensors}) {{
  %r{count} = "stablehlo.sort"({names}) <{{dimension = -1 : i64, is_stable = false}}> ({{
  ^bb0({arguments}):
{body}
    stablehlo.return %c : tensor<i1>
  }}) : ({tensors}) -> ({tensors})
  return {results} : {tensors}
}}"""


@pytest.mark.parametrize("kind", ["FLOAT", "TOTALORDER"])
@pytest.mark.parametrize("direction", ["LT", "GT"])
def test_raw_comparators(rng, kind, direction):
    """As other front ends write them, through the C API."""
    from jax._src.lib import xla_client  # the only way to compile a module that JAX did not write
    body = f"    %c = stablehlo.compare {direction}, %a0, %b0, {kind} : (tensor<f32>, tensor<f32>) -> tensor<i1>"
    x = values(rng, (2, 9), np.float32, special=kind == "TOTALORDER")
    if kind == "TOTALORDER":
        x[0, :4] = [np.nan, -np.nan, 0.0, -0.0]
    client = jax.devices("treadle")[0].client
    executable = client.compile_and_load(comparator_program(body, ["f32"]), xla_client.DeviceList((jax.devices("treadle")[0],)))
    [result] = executable.execute_sharded([jax.device_put(x, jax.devices("treadle")[0])]).disassemble_into_single_device_arrays()
    ours = np.asarray(result[0])
    bits = x.view(np.int32)
    key = np.where(bits < 0, bits ^ 0x7FFFFFFF, bits) if kind == "TOTALORDER" else x
    order = np.argsort(key if direction == "LT" else -key.astype(np.float64), axis=1, kind="stable")
    np.testing.assert_array_equal(ours.view(np.int32), np.take_along_axis(bits, order, 1))


@pytest.mark.parametrize("n", [1, 2, 3, 16, 17, 100, 300])
@pytest.mark.parametrize("says", ["dense<true>", "dense<false>", "GE", "NE"])
def test_comparators_that_contradict_themselves(rng, n, says):
    """The order is anybody's, but they end, and lose nothing."""
    body = f"stablehlo.constant {says} : tensor<i1>" if "dense" in says else f"stablehlo.compare {says}, %a0, %b0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>"
    x = values(rng, (2, n), np.float32, special=False)
    x[0, :: 3] = np.nan
    got, places = run_text(comparator_program("    %c = " + body, ["f32", "i32"]).replace("2x9", f"2x{n}"), x, np.tile(np.arange(n, dtype=np.int32), (2, 1)))
    np.testing.assert_array_equal(np.sort(places), np.tile(np.arange(n), (2, 1)))
    np.testing.assert_array_equal(got, np.take_along_axis(x, places, 1))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("aggregate", [True, False])
def test_approximate_top_k_is_exact(rng, largest, aggregate):
    x = rng.permutation(3 * 200).reshape(3, 200).astype(np.float32)
    take = jax.lax.approx_max_k if largest else jax.lax.approx_min_k
    with jax.default_device(jax.devices("treadle")[0]):
        values, places = jax.jit(lambda x: take(x, 5, recall_target=0.9, aggregate_to_topk=aggregate))(x)
    order = np.argsort(-x if largest else x)[:, :5]
    np.testing.assert_array_equal(np.asarray(places)[:, :5], order)
    np.testing.assert_array_equal(np.asarray(values)[:, :5], np.take_along_axis(x, order, 1))
