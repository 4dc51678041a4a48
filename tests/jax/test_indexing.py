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


# --- What is easily got wrong: against NumPy, every way ---


@pytest.mark.parametrize("size, place, dtype", [(300, 200, np.uint8), (70_000, 40_000, np.uint16), (70_000, 2**31, np.uint32), (300, 2**32 - 1, np.uint32)])
def test_unsigned_places_with_the_top_bit_set(every_way, size, place, dtype):
    """They are large, not negative."""
    x = np.arange(size, dtype=np.int32)
    into, out_of = lax.GatherDimensionNumbers((0,), (), (0,)), lax.ScatterDimensionNumbers((0,), (), (0,))

    def program(x, i):
        minus = jnp.full(1, -1, jnp.int32)
        return (lax.dynamic_slice(x, (i,), (1,)), lax.gather(x, i[None], into, (1,), mode="clip"), lax.dynamic_update_slice(x, minus, (i,)),
                lax.scatter(x, i[None], minus, out_of, mode="clip"))

    expected, at = x.copy(), min(place, size - 1)
    expected[at] = -1
    for got, want in zip(every_way(program, x, dtype(place)), ([at], [at], expected, expected)):
        np.testing.assert_array_equal(got, want)


def test_reads_out_of_bounds(every_way):
    places = np.array([10, 4, -6, -1, 5, 2**31 - 1], np.int32)
    for dtype, fill in [(np.int32, -(2**31)), (np.int8, -128), (np.uint16, 65535), (F32, np.nan), (np.bool_, True)]:
        x = np.arange(5).astype(dtype)
        np.testing.assert_array_equal(every_way(jnp.take, x, places), np.array([fill, x[4], fill, x[-1], fill, fill], dtype))
    around = np.arange(-10, 10, dtype=np.int32)
    got = every_way(lambda x, i: x.at[i].get(mode="fill", fill_value=-10), np.ones(4, F32), around)
    np.testing.assert_array_equal(got, np.where((around >= -4) & (around < 4), 1, -10))
    far = np.arange(0, 65536, 5, dtype=np.int32)
    assert not every_way(lambda x, i: x[i], np.zeros(256, np.int32), far).any()  # nothing that lies behind it in memory
    np.testing.assert_array_equal(every_way(lambda x, i: x[i], np.arange(256), far), np.minimum(far, 255))


@pytest.mark.parametrize("mode", ["drop", "clip"])
@pytest.mark.parametrize("window", [1, 3])
def test_windows_written_out_of_bounds(every_way, mode, window):
    """A window that is not inside as a whole is not written at all, or moved."""
    x, places = np.arange(8, dtype=np.int32), np.array([-4, -1, 0, 3, 6, 7, 8, 100, -(2**31), 2**31 - 1], np.int32)
    updates = (100 * np.arange(1, 11)[:, None] + np.arange(window)).astype(np.int32)
    dims = lax.ScatterDimensionNumbers((1,), (), (0,))
    got = every_way(lambda x, i, u: lax.scatter_add(x, i[:, None], u, dims, mode=mode), x, places, updates)
    expected = x.copy()
    for i, u in zip(places.tolist(), updates):
        if mode == "clip":
            i = min(max(i, 0), 8 - window)
        if 0 <= i <= 8 - window:
            expected[i : i + window] += u
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("n", [20, 5000])
def test_duplicates(every_way, rng, n):
    i, v = rng.integers(0, 7, n).astype(np.int32), rng.integers(-50, 50, n).astype(np.int32)
    x = rng.integers(-5, 5, 7).astype(np.int32)
    got = every_way(lambda x, i, v: (x.at[i].add(v), x.at[i].multiply(v), x.at[i].min(v), x.at[i].max(v), x.at[i].set(v)), x, i, v)
    with np.errstate(over="ignore"):
        for ours, f in zip(got, (np.add, np.multiply, np.minimum, np.maximum)):
            expected = x.copy()
            f.at(expected, i, v)
            np.testing.assert_array_equal(ours, expected)
    assert all(got[4][k] in v[i == k] for k in range(7))  # some one of them
    once = rng.permutation(n)[: n // 2].astype(np.int32)
    y = rng.integers(-5, 5, n).astype(np.int32)
    unique, plain = every_way(lambda y, i, v: (y.at[i].set(v, unique_indices=True), y.at[i].set(v)), y, once, v[: n // 2])
    np.testing.assert_array_equal(unique, plain)
    y[once] = v[: n // 2]
    np.testing.assert_array_equal(plain, y)


def test_nan_is_written(every_way):
    x, i = np.arange(6, dtype=F32), np.array([1, 4, 1], np.int32)
    one, some = every_way(lambda x, i: (x.at[3].set(jnp.nan), x.at[i].max(jnp.nan)), x, i)
    np.testing.assert_array_equal(np.isnan(one), np.arange(6) == 3)
    np.testing.assert_array_equal(np.isnan(some), np.isin(np.arange(6), [1, 4]))


@pytest.mark.parametrize("low,high,interior", [(-1, -2, 2), (-3, 4, 1), (2, -5, 0), (-9, -9, 1), (-20, 3, 0), (-16, 0, 2), (0, -5, 3)])
def test_pads(every_way, low, high, interior):
    x = np.arange(6, dtype=F32)
    spread = np.full(6 + 5 * interior, 9, F32)
    spread[:: interior + 1] = x
    positions = np.arange(-low, max(-low, len(spread) + high))
    inside = (positions >= 0) & (positions < len(spread))
    expected = np.where(inside, spread[positions.clip(0, len(spread) - 1)], 9)
    if len(spread) + low + high < 0:
        with pytest.raises((ValueError, TypeError)):
            every_way(lambda x: lax.pad(x, F32(9), [(low, high, interior)]), x)
    else:
        np.testing.assert_array_equal(every_way(lambda x: lax.pad(x, F32(9), [(low, high, interior)]), x), expected)
