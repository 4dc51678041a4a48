"""Reading and writing at computed places: gather and scatter in the forms that jnp's indexing gives them."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

F32 = np.float32


@pytest.fixture
def table(rng):
    return rng.standard_normal((50, 40)).astype(F32)


@pytest.fixture
def rows(rng):
    return rng.integers(-60, 60, 30).astype(np.int32)  # some out of bounds, on both sides


@pytest.fixture
def columns(rng):
    return rng.integers(0, 40, 30).astype(np.int32)


READS = {
    "rows": lambda x, i, j: x[i],
    "columns": lambda x, i, j: jnp.take(x, i, axis=1),
    "fill": lambda x, i, j: jnp.take(x, i, axis=0, mode="fill"),
    "clip": lambda x, i, j: jnp.take(x, i, axis=0, mode="clip"),
    "pairs": lambda x, i, j: x[i % 50, j],
    "slices_and_places": lambda x, i, j: x[3:20, j][::2],
    "along": lambda x, i, j: jnp.take_along_axis(x, (jnp.arange(2000).reshape(50, 40) * 7) % 50, 0),
    "vmap": lambda x, i, j: jax.vmap(lambda r, k: r[k])(x[:30], j),
    "in_dim": lambda x, i, j: lax.dynamic_index_in_dim(x, j[3], 1),
    "diagonal": lambda x, i, j: jnp.diag(x[:40]),
    "search": lambda x, i, j: jnp.searchsorted(x[0] * 10, x[1]),
    "mask": lambda x, i, j: jnp.where(x[i] > 0, x[i], -x[i]).sum(1),
    "roll": lambda x, i, j: jnp.roll(x, 3, 0) + jnp.roll(x, j[0], 1),
    "one_element": lambda x, i, j: x[i[2] % 50, j[4]] + x[j[1], j[1]],
}
WRITES = {
    "rows": lambda x, i, j: x.at[i].set(1.5),
    "rows_of_itself": lambda x, i, j: x.at[i].add(x[:30]),
    "pairs": lambda x, i, j: x.at[i, j].add(2.0),
    "columns": lambda x, i, j: x.at[:, j].max(0.5),
    "product": lambda x, i, j: x.at[i, j].multiply(3.0),
    "function": lambda x, i, j: x.at[i].apply(jnp.sin),
    "drop": lambda x, i, j: x.at[i].set(x[:30], mode="drop"),
    "clip": lambda x, i, j: x.at[i].min(0.1, mode="clip"),
    "block": lambda x, i, j: x.at[3:9, 5:30].add(1.0),
    "vmap": lambda x, i, j: jax.vmap(lambda r, k: r.at[k].set(0))(x[:30], j),
    "segment_sum": lambda x, i, j: jax.ops.segment_sum(x[:30], j, 50),
    "segment_max": lambda x, i, j: jax.ops.segment_max(x[:30], j, 50),
    "count": lambda x, i, j: jnp.bincount(j, length=40),
    "gradient": lambda x, i, j: jax.grad(lambda x: jnp.sum(x[i % 50, j] ** 2) + jnp.sum(x[i % 50] ** 3))(x),
}


@pytest.mark.parametrize("name", READS)
def test_reads(compare, table, rows, columns, name):
    compare(READS[name], table, rows, columns)


@pytest.mark.parametrize("name", WRITES)
def test_writes(compare, table, rows, columns, name):
    compare(WRITES[name], table, rows, columns)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "bfloat16"])
def test_types(compare, rng, rows, dtype):
    x = np.asarray(jnp.asarray(rng.integers(0, 2, (50, 9)), dtype))
    compare(lambda x, i: (x[i], x.at[i].set(x[:30][::-1]), x.at[i, 3].max(x[0, 0])), x, rows)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32"])
def test_index_types(compare, table, rows, dtype):
    compare(lambda x, i: (x[i], x.at[i].add(1)), table, (rows % 50).astype(dtype))


def test_loops(compare, table, columns):
    compare(lambda x, j: lax.scan(lambda c, k: (c.at[k[0]].add(c[k[1]]), c[k[1]]), x, (j, j[::-1])), table, columns, rtol=1e-5)
    compare(lambda j: lax.fori_loop(0, 30, lambda k, h: h.at[j[k]].add(1), jnp.zeros(40, jnp.int32)), columns)


def test_duplicates_add_up_in_order(compare, rng):
    values = rng.standard_normal(5000).astype(F32)
    places = rng.integers(0, 7, 5000).astype(np.int32)
    compare(lambda v, i: jax.ops.segment_sum(v, i, 7), values, places, rtol=1e-5, atol=1e-5)
    compare(lambda v, i: jnp.zeros(7, F32).at[i].set(v), values, places)


def test_donated_operand_is_updated_in_place():
    device = jax.devices("treadle")[0]
    update = jax.jit(lambda x, i: x.at[i].add(1.0), donate_argnums=0)
    x = jax.device_put(np.zeros((1000, 100), F32), device)
    place = x.unsafe_buffer_pointer()
    y = update(x, jax.device_put(np.array([3, 5, 3], np.int32), device))
    assert y.unsafe_buffer_pointer() == place and x.is_deleted()
    np.testing.assert_array_equal(np.asarray(y)[[3, 4, 5], 0], [2, 0, 1])


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (1, 1)])
def test_empty_and_single(compare, shape):
    x = np.ones(shape, F32)
    i = np.zeros(0 if shape[0] == 0 else 3, np.int32)
    compare(lambda x, i: (jnp.take(x, i, axis=0, mode="clip"), x.at[i].add(1)), x, i)


def test_serial_loops_read_and_write_large_arrays(compare, rng):
    places = rng.integers(-20, 320, 500).astype(np.int32)
    compare(lambda i: lax.fori_loop(0, 500, lambda k, h: h.at[i[k]].add(1), jnp.zeros(256, jnp.int32)), places)
    compare(lambda i: lax.fori_loop(0, 500, lambda k, h: h.at[i[k]].set(k, mode="drop"), jnp.zeros(256, jnp.int32)), places)
    table = rng.standard_normal((300, 3)).astype(F32)
    compare(lambda i, t: lax.scan(lambda c, k: (c.at[k].add(c[0]), c[k]), t, i), places % 300, table, rtol=1e-4, atol=1e-4)
    compare(lambda i, t: lax.fori_loop(0, 400, lambda k, c: c.at[i[k], i[k + 1] % 3].max(t[i[k + 2] % 300, 1]), t), places, table)
    compare(lambda i, t: lax.fori_loop(0, 60, lambda k, c: (c[0].at[jnp.stack([i[k], i[k + 1]])].add(c[1]), c[1] * 0.5),
                                       (t, jnp.ones((2, 3), F32)))[0], places, table)
