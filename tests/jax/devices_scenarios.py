"""What test_devices.py runs: scenarios on eight devices of one client, each a function; prints 'NAME ok' or 'NAME TRACEBACK'."""
import functools
import sys
import threading
import traceback

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

DEVICES = jax.devices("treadle")
RNG = np.random.default_rng(0)


def mesh(shape, names, kind=AxisType.Auto):
    count = int(np.prod(shape))
    return Mesh(np.array(DEVICES[:count]).reshape(shape), names, axis_types=(kind,) * len(names))


def put(x, m, *spec):
    return jax.device_put(x, NamedSharding(m, P(*spec)))


def array(*shape, dtype=np.float32):
    return RNG.integers(-9, 9, shape).astype(dtype) if np.issubdtype(dtype, np.integer) else RNG.normal(size=shape).astype(dtype)


def same(ours, theirs, rtol=1e-6, atol=1e-6):
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=rtol, atol=atol)


def raises(text, function, *args):
    try:
        jax.block_until_ready(function(*args))
    except Exception as error:  # noqa: BLE001: whatever it is, it must say why
        assert text in str(error), str(error)
        return
    raise AssertionError("no error")


# --- devices and placement ---

def scenario_devices():
    assert [d.id for d in DEVICES] == list(range(8)) and len(jax.local_devices()) == 8
    assert [str(d) for d in DEVICES[:2]] == ["TreadleDevice(id=0)", "TreadleDevice(id=1)"]
    assert [d.local_hardware_id for d in DEVICES] == list(range(8))
    assert len({id(d.default_memory()) for d in DEVICES}) == 8
    assert {m.kind for m in DEVICES[3].addressable_memories()} >= {"device", "pinned_host"}


def scenario_put_and_compute_on_each_device():
    for d in DEVICES:
        x = jax.device_put(np.arange(5, dtype=np.float32), d)
        y = jax.jit(lambda v: v * 2 + 1)(x)
        assert x.devices() == y.devices() == (y + 1).devices() == {d}
        same(y, [1, 3, 5, 7, 9])
    with jax.default_device(DEVICES[5]):
        assert jnp.ones(3).devices() == {DEVICES[5]}


def scenario_copies_between_devices():
    x = jax.device_put(np.arange(1000, dtype=np.int32), DEVICES[2])
    y = jax.device_put(x, DEVICES[7])
    assert y.devices() == {DEVICES[7]}
    x.delete()
    same(y, np.arange(1000))
    host = jax.device_put(y, NamedSharding(mesh((1,), ("x",)), P(), memory_kind="pinned_host"))
    same(host, np.arange(1000))


def scenario_devices_do_not_mix():
    x, y = (jax.device_put(np.ones(3, np.float32), d) for d in DEVICES[:2])
    raises("incompatible devices", lambda: x + y)


def scenario_donation_on_a_device():
    x = jax.device_put(np.ones(1000, np.float32), DEVICES[3])
    y = jax.jit(lambda v: v + 1, donate_argnums=0)(x)
    assert x.is_deleted() and y.devices() == {DEVICES[3]}
    same(y, np.full(1000, 2))


def scenario_sharded_arrays():
    m = mesh((2, 4), ("x", "y"))
    a = array(8, 12)
    for spec in [(), ("x",), ("y",), ("x", "y"), ("y", "x"), (None, "y"), (("x", "y"),), (None, ("y", "x"))]:
        if spec and spec[-1] == ("y", "x"):
            continue  # 12 is no multiple of 8
        x = put(a, m, *spec)
        same(x, a)
        for shard in x.addressable_shards:
            same(shard.data, a[shard.index])
        same(put(x, m, "y"), a)
        same(jax.device_put(x, DEVICES[6]), a)


# --- programs for whole arrays ---

def scenario_jit_on_sharded_arrays():
    m = mesh((2, 4), ("x", "y"))
    a, b = array(8, 12), array(12, 4)
    for spec_a, spec_b in [(("x", "y"), ("y",)), (("y",), ()), ((), (None, "x")), (("x",), (None, "y"))]:
        x, y = put(a, m, *spec_a), put(b, m, *spec_b)
        same(jax.jit(lambda u, v: jnp.tanh(u @ v) + 1)(x, y), np.tanh(a @ b) + 1, 1e-5, 1e-5)
        same(x * 2, a * 2)
        same(jax.jit(lambda u: u.sum(0))(x), a.sum(0), 1e-5, 1e-5)
        same(jnp.sort(x, axis=1), np.sort(a, axis=1))


def scenario_output_shardings():
    m = mesh((2, 4), ("x", "y"))
    a = array(8, 16)
    for spec in [P(), P("x"), P("y", "x"), P(None, ("x", "y"))]:
        y = jax.jit(lambda v: v * 2, out_shardings=NamedSharding(m, spec))(put(a, m, "x", "y"))
        assert y.sharding.is_equivalent_to(NamedSharding(m, spec), 2), (y.sharding, spec)
        same(y, a * 2)
        for shard in y.addressable_shards:
            same(shard.data, a[shard.index] * 2)


def scenario_unspecified_output_shardings_are_true():
    m = mesh((2, 4), ("x", "y"))
    a = array(8, 16)
    for f in (lambda v: v * 2, lambda v: v.T, lambda v: v.sum(1), lambda v: (v, v @ v.T)):
        for out in jax.tree.leaves(jax.jit(f)(put(a, m, "x", "y"))):
            whole = np.asarray(out)
            for shard in out.addressable_shards:
                same(shard.data, whole[shard.index])
        for ours, theirs in zip(jax.tree.leaves(jax.jit(f)(put(a, m, "x", "y"))), jax.tree.leaves(f(a))):
            same(ours, theirs, 1e-5, 1e-5)


def scenario_sharding_constraints():
    m = mesh((2, 4), ("x", "y"))
    a = array(8, 16)

    @jax.jit
    def f(v):
        w = lax.with_sharding_constraint(v * 2, NamedSharding(m, P("y")))
        return lax.with_sharding_constraint(w.T, NamedSharding(m, P(None, "x"))).sum(0)

    same(f(put(a, m, "x", "y")), (a * 2).sum(1), 1e-5, 1e-5)


def scenario_training_step():
    m = mesh((2, 2), ("data", "model"))
    w1, w2, x, y = array(16, 32), array(32, 4), array(8, 16), array(8, 4)

    def loss(params, x, y):
        return jnp.mean((jnp.tanh(x @ params[0]) @ params[1] - y) ** 2)

    @functools.partial(jax.jit, donate_argnums=0)
    def step(params, x, y):
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params, x, y))

    def numpy_step(params):
        h = np.tanh(x @ params[0])
        d = 2 * (h @ params[1] - y) / y.size
        return x.T @ (d @ params[1].T * (1 - h * h)), h.T @ d

    params = (put(w1, m, None, "model"), put(w2, m, "model", None))
    expected = [w1.astype(np.float64), w2.astype(np.float64)]
    for _ in range(5):
        params = step(params, put(x, m, "data"), put(y, m, "data"))
        expected = [p - 0.1 * g for p, g in zip(expected, numpy_step(expected))]
    for ours, theirs in zip(params, expected):
        same(ours, theirs, 1e-3, 1e-4)


def scenario_explicit_axes():
    m = mesh((2, 2), ("x", "y"), AxisType.Explicit)
    a, b = array(8, 4), array(4, 6)
    with jax.set_mesh(m):
        x, y = put(a, m, "x", None), put(b, m, None, "y")
        z = jax.jit(lambda u, v: jnp.sin(u @ v))(x, y)
        assert z.sharding.spec == P("x", "y"), z.sharding
        same(z, np.sin(a @ b), 1e-5, 1e-5)
        same(jax.jit(lambda u: jax.sharding.reshard(u, P(None, "x")))(x), a)


# --- manual computations ---

def both(f):
    """On a 2x2 mesh, by axes that are Auto and that are Explicit."""
    @functools.wraps(f)
    def run():
        for kind in (AxisType.Auto, AxisType.Explicit):
            m = mesh((2, 2), ("x", "y"), kind)
            with jax.set_mesh(m):
                f(m)
    return run


def manual(m, f, ins, outs, **options):
    return jax.jit(jax.shard_map(f, mesh=m, in_specs=ins, out_specs=outs, **options))


def tiles(a):
    """The 2x2 tiles of a matrix, by the places on the mesh."""
    return np.array([np.split(row, 2, axis=1) for row in np.split(a, 2, axis=0)])


def scenario_psum():
    @both
    def run(m):
        a = array(8, 4)
        t = tiles(a)
        x = put(a, m, "x", "y")
        same(manual(m, lambda v: lax.psum(v, "x"), P("x", "y"), P(None, "y"))(x), np.concatenate(list(t.sum(0)), 1))
        same(manual(m, lambda v: lax.psum(v, "y"), P("x", "y"), P("x"))(x), np.concatenate(list(t.sum(1)), 0))
        same(manual(m, lambda v: lax.psum(v, ("x", "y")), P("x", "y"), P())(x), t.sum((0, 1)))
        same(manual(m, lambda v: lax.psum(1, "x") * v, P("x", "y"), P("x", "y"))(x), 2 * a)
        same(manual(m, lambda v: lax.pmean(v, "x"), P("x", "y"), P(None, "y"))(x), np.concatenate(list(t.mean(0)), 1))
    run()


def scenario_pmax_pmin():
    @both
    def run(m):
        a = array(8, 4, dtype=np.int32)
        t = tiles(a)
        x = put(a, m, "x", "y")
        same(manual(m, lambda v: lax.pmax(v, "x"), P("x", "y"), P(None, "y"))(x), np.concatenate(list(t.max(0)), 1))
        same(manual(m, lambda v: lax.pmin(v, ("x", "y")), P("x", "y"), P())(x), t.min((0, 1)))
    run()


def scenario_all_gather():
    @both
    def run(m):
        a = array(8, 4)
        x = put(a, m, "x", "y")
        same(manual(m, lambda v: lax.all_gather(v, "y", axis=1, tiled=True), P("x", "y"), P("x"), check_vma=False)(x), a)
        stacked = manual(m, lambda v: lax.all_gather(v, "x"), P("x", "y"), P(None, None, "y"), check_vma=False)(x)
        same(stacked, a.reshape(2, 4, 4))
    run()


def scenario_ppermute():
    @both
    def run(m):
        a = array(8, 4)
        t = tiles(a)
        x = put(a, m, "x", "y")
        swapped = manual(m, lambda v: lax.ppermute(v, "x", [(0, 1), (1, 0)]), P("x", "y"), P("x", "y"))(x)
        same(swapped, np.block([[t[1, 0], t[1, 1]], [t[0, 0], t[0, 1]]]))
        shifted = manual(m, lambda v: lax.ppermute(v, "y", [(0, 1)]), P("x", "y"), P("x", "y"))(x)
        same(shifted, np.block([[0 * t[0, 0], t[0, 0]], [0 * t[1, 0], t[1, 0]]]))
    run()


def scenario_all_to_all():
    @both
    def run(m):
        a = array(8, 4)
        x = put(a, m, "x", "y")
        moved = manual(m, lambda v: lax.all_to_all(v, "y", 0, 1, tiled=True), P("x", "y"), P(("x", "y"),))(x)
        same(moved, a)
        back = manual(m, lambda v: lax.all_to_all(v, "y", 1, 0, tiled=True), P(("x", "y"),), P("x", "y"))(moved)
        same(back, a)
    run()


def scenario_psum_scatter():
    @both
    def run(m):
        a = array(8, 4)
        t = tiles(a)
        x = put(a, m, "x", "y")
        r = manual(m, lambda v: lax.psum_scatter(v, "x", scatter_dimension=0, tiled=True), P("x", "y"), P("x", "y"))(x)
        same(r, np.concatenate(list(t.sum(0)), 1))
    run()


def scenario_axis_index():
    @both
    def run(m):
        x = put(np.zeros((2, 2), np.float32), m, "x", "y")
        f = manual(m, lambda v: v + 10 * lax.axis_index("x") + lax.axis_index("y"), P("x", "y"), P("x", "y"))
        same(f(x), [[0, 1], [10, 11]])
        same(manual(m, lambda v: v + lax.axis_index(("y", "x")), P("x", "y"), P("x", "y"))(x), [[0, 2], [1, 3]])
    run()


def scenario_collectives_in_control_flow():
    m = mesh((8,), ("i",))

    def loop(v):
        return lax.fori_loop(0, 5, lambda i, c: lax.psum(c, "i") / 8 + lax.ppermute(c, "i", [(k, (k + 1) % 8) for k in range(8)]), v)

    def numpy_loop(a):
        for _ in range(5):
            a = a.sum(0) / 8 + np.roll(a, 1, 0)
        return a

    a = array(8, 3)
    same(manual(m, loop, P("i"), P("i"), check_vma=False)(put(a, m, "i")), numpy_loop(a), 1e-5, 1e-5)

    def until(v):  # the trip count depends on a collective, and is the same everywhere
        return lax.while_loop(lambda c: lax.pmax(c.max(), "i") < 100, lambda c: c * 2 + lax.axis_index("i"), v)

    expected = np.ones((8, 1))
    while expected.max() < 100:
        expected = expected * 2 + np.arange(8)[:, None]
    same(manual(m, until, P("i"), P("i"), check_vma=False)(put(np.ones((8, 1), np.float32), m, "i")), expected)

    def own_trips(v):  # without collectives inside, each device counts for itself
        return lax.while_loop(lambda c: c.sum() < 50, lambda c: c + lax.axis_index("i") + 1, v)

    expected = [next(c for c in range(0, 1000, k + 1) if c >= 50) for k in range(8)]
    same(manual(m, own_trips, P("i"), P("i"), check_vma=False)(put(np.zeros((8, 1), np.float32), m, "i")), np.array(expected)[:, None])

    def branch(v):
        return lax.cond(lax.psum(v.sum(), "i") > 0, lambda c: lax.psum(c, "i"), lambda c: -c, v)

    f = manual(m, branch, P("i"), P("i"), check_vma=False)
    ones = np.ones((8, 2), np.float32)
    same(f(put(ones, m, "i")), ones * 8)
    same(f(put(-ones, m, "i")), ones)


def scenario_every_collective_a_hundred_times():
    """More devices than cores: each waits for the others at every step of a scan."""
    m = mesh((8,), ("i",))

    def step(c, k):
        c = lax.ppermute(c, "i", [(d, (d + 3) % 8) for d in range(8)])  # [8]
        c = lax.all_to_all(c, "i", 0, 0, tiled=True)
        c = c + lax.psum(c, "i") + k
        gathered = lax.all_gather(c, "i")  # [8, 8]
        c = c + lax.psum_scatter(gathered, "i", scatter_dimension=0)
        return c % 1000, None

    got = manual(m, lambda v: lax.scan(step, v[0], jnp.arange(100, dtype=jnp.int32))[0][None], P("i"), P("i"), check_vma=False)
    a = np.arange(64, dtype=np.int32).reshape(8, 8)
    want = a
    for k in range(100):
        want = np.roll(want, 3, 0).T
        want = want + want.sum(0) + k
        want = (want + 8 * want) % 1000
    same(got(put(a, m, "i")), want)


def scenario_groups():
    """Collectives among some of the devices."""
    rows = array(4, 4, 3)
    swapped = jax.pmap(lambda v: lax.all_to_all(v, "i", 0, 0, axis_index_groups=[[0, 2], [1, 3]]), axis_name="i", devices=DEVICES[:4])(rows[:, :2])
    want = np.empty_like(rows[:, :2])
    for group in ([0, 2], [1, 3]):
        want[group] = rows[group][:, :2].transpose(1, 0, 2)
    same(swapped, want)
    groups = [[0, 5], [1, 4], [2, 7], [6, 3]]
    chunks = np.arange(8 * 2 * 70_000, dtype=np.int32).reshape(8, 2, 70_000) % 1013
    scatter = jax.pmap(lambda v: lax.psum_scatter(v, "i", scatter_dimension=0, axis_index_groups=groups), axis_name="i")
    want = np.empty((8, 70_000), np.int32)
    for group in groups:
        want[group] = chunks[group].sum(0)
    for _ in range(10):
        same(scatter(chunks), want)


def scenario_scan_and_gradients():
    m = mesh((4,), ("i",))
    a, w = array(8, 6), array(6, 6) / 4

    def f(w, x):
        return lax.psum(jnp.sum(jnp.tanh(x @ w) ** 2), "i")

    g = jax.jit(jax.grad(jax.shard_map(f, mesh=m, in_specs=(P(), P("i")), out_specs=P())))
    t = np.tanh(a @ w)
    same(g(put(w, m), put(a, m, "i")), a.T @ (2 * t * (1 - t * t)), 1e-4, 1e-4)

    def cumulative(x):
        return lax.scan(lambda c, row: (c + lax.psum(row, "i"), c), jnp.zeros(6), x)[1]

    ours = manual(m, cumulative, P("i"), P("i"), check_vma=False)(put(a, m, "i"))
    rows = a.reshape(4, 2, 6).sum(0)
    same(ours, np.tile(np.stack([np.zeros(6), rows[0]]), (4, 1)), 1e-5, 1e-5)


def scenario_partly_manual():
    m = mesh((2, 2), ("x", "y"))
    a = array(8, 4)
    x = put(a, m, "x", "y")
    f = jax.jit(jax.shard_map(lambda v: lax.psum(v, "x") @ jnp.ones((4, 2)), mesh=m, in_specs=P("x"), out_specs=P(), axis_names={"x"}))
    same(f(x), (a[:4] + a[4:]) @ np.ones((4, 2)), 1e-5, 1e-5)
    g = jax.jit(jax.shard_map(lambda v: v + lax.axis_index("y"), mesh=m, in_specs=P(None, "y"), out_specs=P(None, "y"), axis_names={"y"}))
    same(g(x), a + np.array([0, 0, 1, 1]))


def scenario_nested_manual():
    m = mesh((2, 2), ("x", "y"))
    a = array(8, 4)

    def outer(v):
        inner = jax.shard_map(lambda u: lax.psum(u, "y") + lax.axis_index("x"), in_specs=P(None, "y"), out_specs=P(), axis_names={"y"})
        return lax.psum(inner(v), "x")

    f = jax.jit(jax.shard_map(outer, mesh=m, in_specs=P("x"), out_specs=P(), axis_names={"x"}))
    t = tiles(a)
    same(f(put(a, m, "x", "y")), t.sum((0, 1)) + 1, 1e-5, 1e-5)


def scenario_manual_among_others():
    m = mesh((2, 4), ("x", "y"))
    a, b = array(8, 16), array(16, 8)

    @jax.jit
    def f(u, v):
        w = jnp.sin(u) @ v
        s = jax.shard_map(lambda c: lax.psum(c, "y") + lax.axis_index("x"), mesh=m, in_specs=P("x", "y"), out_specs=P("x"))(w)
        return s.sum(0), w * 2

    s, w = f(put(a, m, "x", "y"), put(b, m, "y"))
    product = np.sin(a) @ b
    expected = product.reshape(8, 4, 2).sum(1) + np.repeat([0, 1], 4)[:, None]
    same(s, expected.sum(0), 1e-4, 1e-4)
    same(w, product * 2, 1e-4, 1e-4)


def scenario_eager_shard_map():
    m = mesh((4,), ("i",))
    a = array(8, 4)
    with jax.set_mesh(m):
        same(jax.shard_map(lambda v: lax.psum(v * 2, "i"), mesh=m, in_specs=P("i"), out_specs=P())(put(a, m, "i")), 2 * a.reshape(4, 2, 4).sum(0), 1e-5, 1e-5)


def scenario_many_shapes_and_types():
    m = mesh((8,), ("i",))
    for dtype in (np.float32, np.float16, jnp.bfloat16, np.int32, np.uint8, bool):
        for columns in (1, 7, 8, 33, 0):
            a = (RNG.integers(0, 2, (16, columns)) > 0).astype(dtype) if dtype is bool else RNG.integers(0, 9, (16, columns)).astype(dtype)
            x = put(a, m, "i")
            gathered = manual(m, lambda v: lax.all_gather(v, "i", tiled=True), P("i"), P(), check_vma=False)(x)
            np.testing.assert_array_equal(np.asarray(gathered), a)
            if dtype is not bool:
                summed = manual(m, lambda v: lax.psum(v, "i"), P("i"), P())(x)
                np.testing.assert_array_equal(np.asarray(summed), a.reshape(8, 2, columns).sum(0, dtype=a.dtype))


def scenario_complex_numbers():
    m = mesh((8,), ("i",))
    a = (array(16, 5) + 1j * array(16, 5)).astype(np.complex64)
    x = put(a, m, "i")
    same(manual(m, lambda v: lax.psum(v * 1j, "i"), P("i"), P())(x), 1j * a.reshape(8, 2, 5).sum(0), 1e-5, 1e-5)
    same(manual(m, lambda v: lax.all_gather(v, "i", tiled=True), P("i"), P(), check_vma=False)(x), a)
    same(manual(m, lambda v: lax.ppermute(v, "i", [(0, 1)]), P("i"), P("i"))(x)[2:4], a[:2])
    same(jax.jit(lambda v: jnp.abs(v) + v)(x), np.abs(a) + a, 1e-5, 1e-5)


def scenario_large_reductions():
    """Beyond the size where each device reduces a part: divisible by the devices and not; the same bits as the small way, in order."""
    m = mesh((8,), ("i",))
    for columns in (40000, 40001, 3):
        a = array(8, columns)
        out = manual(m, lambda v: lax.psum(v, "i"), P("i"), P())(put(a, m, "i"))
        expected = a[0].copy()
        for row in a[1:]:
            expected += row
        np.testing.assert_array_equal(np.asarray(out)[0], expected)


def scenario_same_bits_every_time():
    m = mesh((8,), ("i",))
    x = put(array(8, 1000), m, "i")
    f = manual(m, lambda v: lax.psum(jnp.exp(v), "i"), P("i"), P())
    first = np.asarray(f(x))
    for _ in range(50):
        np.testing.assert_array_equal(np.asarray(f(x)), first)


def scenario_text_of_a_manual_program():
    m = mesh((4,), "i")
    f = jax.jit(jax.shard_map(lambda x: x - lax.pmean(x, "i"), mesh=m, in_specs=P("i"), out_specs=P("i")))
    text = f.lower(put(array(8, 4), m, "i")).compile().as_text()
    assert "all-reduce" in text and "f32[2,4]" in text, text


def scenario_pmap():
    a = array(4, 2, 3)
    same(jax.pmap(lambda v: lax.psum(v, "i"), axis_name="i", devices=DEVICES[:4])(a), np.broadcast_to(a.sum(0), (4, 2, 3)), 1e-5, 1e-5)
    same(jax.pmap(lambda v: v * lax.axis_index("i"), axis_name="i", devices=DEVICES[:4])(a), a * np.arange(4)[:, None, None])
    same(jax.pmap(lambda v, w: v @ w, in_axes=(0, None), devices=DEVICES[:4])(a, np.ones((3, 2), np.float32)), a @ np.ones((3, 2)), 1e-5, 1e-5)
    groups = [[0, 1], [2, 3]]
    ours = jax.pmap(lambda v: lax.psum(v, "i", axis_index_groups=groups), axis_name="i", devices=DEVICES[:4])(a)
    same(ours, np.repeat(a.reshape(2, 2, 2, 3).sum(1), 2, 0), 1e-5, 1e-5)


def scenario_threads():
    """Eight threads call at once, each on its own device and on all together."""
    m = mesh((8,), ("i",))
    f = manual(m, lambda v: lax.psum(v, "i"), P("i"), P())
    single = jax.jit(lambda v: jnp.sin(v) * 2)
    a = array(8, 100)
    x = put(a, m, "i")
    failures = []

    def work(k):
        try:
            own = jax.device_put(a, DEVICES[k])
            for _ in range(50):
                same(f(x), a.sum(0)[None], 1e-5, 1e-5)
                same(single(own), np.sin(a) * 2)
        except BaseException as error:  # noqa: BLE001: a thread's error is that of the test
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def scenario_calls_in_flight():
    """Ten thousand calls, nobody waits in between."""
    m = mesh((8,), ("i",))
    f = manual(m, lambda v: lax.psum(v, "i") / 8 + v, P("i"), P("i"))
    x = put(np.ones((8, 4), np.float32), m, "i")
    single = jax.jit(lambda v: v + 1)
    y = jax.device_put(np.zeros(4, np.float32), DEVICES[7])
    z = x
    for _ in range(5000):
        z = f(x)
        y = single(y)
    same(z, np.full((8, 4), 2))
    same(y, np.full(4, 5000))


def scenario_introspection():
    m = mesh((8,), ("i",))
    compiled = manual(m, lambda v: lax.psum(v, "i"), P("i"), P()).lower(jax.ShapeDtypeStruct((8, 4), np.float32, sharding=NamedSharding(m, P("i")))).compile()
    assert len(compiled.output_shardings.device_set) == 8
    assert compiled.memory_analysis().argument_size_in_bytes == 16
    same(compiled(put(np.ones((8, 4), np.float32), m, "i")), np.full((1, 4), 8))


def scenario_python_in_an_automatically_sharded_program():
    """It runs once for all devices, on whole arrays."""
    m, seen = mesh((8,), ("i",)), []

    @jax.jit
    def f(x):
        y = lax.fori_loop(0, 3, lambda i, v: (jax.debug.callback(lambda a: seen.append(np.array(a)), v, ordered=False), v * 2)[1], x)
        return y + jax.pure_callback(lambda a: a[::-1].copy(), jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    x = np.arange(16, dtype=np.float32)
    same(f(put(x, m, "i")), x * 8 + x[::-1])
    jax.effects_barrier()
    assert sorted(float(a[1]) for a in seen) == [1, 2, 4] and all(a.shape == (16,) for a in seen), seen


if __name__ == "__main__":
    for name, scenario in list(globals().items()):
        if not name.startswith("scenario_") or not (len(sys.argv) == 1 or name in sys.argv):
            continue
        try:
            scenario()
            print(name, "ok", flush=True)
        except Exception:  # noqa: BLE001: reported by name
            print(name, traceback.format_exc().replace("\n", "\\n"), flush=True)
