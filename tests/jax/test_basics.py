"""Arrays, errors, donation, threads and asynchrony: what JAX relies on around the programs themselves."""
import gc
import os
import subprocess
import sys
import threading

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

DTYPES = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16,
          np.float32, np.float64, ml_dtypes.bfloat16, np.complex64, np.complex128, ml_dtypes.int4, ml_dtypes.uint4,
          ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]


@pytest.fixture(autouse=True)
def on_treadle():
    with jax.default_device(jax.devices("treadle")[0]):
        yield


@pytest.fixture
def device():
    return jax.devices("treadle")[0]


def in_new_process(code, **environment):
    """Runs Python code in a process where Treadle is JAX's only platform; its output, after a clean exit."""
    environment = os.environ | {"JAX_PLATFORMS": "treadle"} | environment
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


# --- The platform -----------------------------------------------------------------------------------------------------


def test_device(device):
    assert repr(device) == "TreadleDevice(id=0)"
    assert device.platform == "treadle" and device.device_kind == "cpu"
    assert device.default_memory().kind == "device"
    assert device.memory_stats()["bytes_limit"] > 0


def test_is_the_default_and_silent():
    out, err = in_new_process("import jax; print(1 + jax.numpy.float32(1), jax.default_backend())", JAX_PLATFORMS="")
    assert out.split() == ["2.0", "treadle"]
    assert "xperimental" not in err


def test_number_of_devices():
    code = """if True:
        import jax, numpy as np
        devices = jax.devices()
        assert [d.id for d in devices] == [0, 1, 2]
        f = jax.jit(lambda x: x + 1)
        for d in devices:
            y = f(jax.device_put(np.float32(d.id), d))
            assert y.devices() == {d} and float(y) == d.id + 1
        moved = jax.device_put(y, devices[0])
        assert moved.devices() == {devices[0]} and float(moved) == 3
        print("ok")"""
    assert in_new_process(code, TREADLE_NUM_DEVICES="3")[0] == "ok\n"


# --- Arrays to the device and back --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: np.dtype(t).name)
def test_round_trip(dtype):
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        values = (np.arange(24) % 7).reshape(2, 3, 4).astype(dtype)
        x = jax.device_put(values)
        assert x.dtype == values.dtype and x.shape == values.shape
        back = np.asarray(x)
        assert back.dtype == values.dtype
        np.testing.assert_array_equal(back, values)


def _misaligned():
    raw = np.zeros(4 * 100 + 1, np.uint8)
    view = raw[1:].view(np.float32)
    view[:] = np.arange(100)
    return view


HOST_ARRAYS = {
    "scalar": lambda: np.float32(3.5),
    "zero_d": lambda: np.array(3.5, np.float32),
    "empty": lambda: np.zeros((3, 0, 2), np.float32),
    "misaligned": _misaligned,
    "fortran": lambda: np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4)),
    "negative": lambda: np.arange(12, dtype=np.float32).reshape(3, 4)[::-1, ::-1],
    "steps": lambda: np.arange(120, dtype=np.float32).reshape(10, 12)[1::3, ::-2],
    "transposed": lambda: np.arange(60, dtype=np.int16).reshape(3, 4, 5).transpose(2, 0, 1),
    "broadcast": lambda: np.broadcast_to(np.arange(5, dtype=np.float32), (4, 5)),
    "large_transposed": lambda: np.arange(300 * 500, dtype=np.float32).reshape(300, 500).T,
}


@pytest.mark.parametrize("name", HOST_ARRAYS)
def test_host_arrays(name):
    host = HOST_ARRAYS[name]()
    np.testing.assert_array_equal(np.asarray(jax.device_put(host)), host)
    np.testing.assert_array_equal(np.asarray(jax.jit(lambda x: x + 1)(host)), host + 1)


@pytest.mark.parametrize("size", [3, 100, 1 << 20])
def test_a_change_of_the_host_array_is_not_seen(size):
    host = np.arange(size, dtype=np.float32)
    put, computed = jax.device_put(host), jax.jit(lambda x: x + 1)(host)
    host[:] = -1
    assert put[2] == 2 and computed[2] == 3


@pytest.mark.parametrize("may_alias", [False, None])
def test_placed_arrays_are_values(may_alias, device):
    host = np.arange(100, dtype=np.float32)
    placed = jax.device_put(host, device, may_alias=may_alias)
    host[0] = -1
    assert placed[0] == 0


def test_asarray_shows_without_copy_and_outlives_the_array():
    x = jnp.arange(1000, dtype=jnp.float32) * 2
    view = np.asarray(x)
    assert not view.flags.writeable
    assert view.ctypes.data == x.unsafe_buffer_pointer()
    del x
    gc.collect()
    jnp.zeros(1000, jnp.float32).block_until_ready()  # would reuse the memory if it were free
    np.testing.assert_array_equal(view, np.arange(1000, dtype=np.float32) * 2)


@pytest.mark.parametrize("kind", ["pinned_host", "unpinned_host", "device"])
def test_memory_kinds(device, kind):
    x = jax.device_put(np.arange(4.0, dtype=np.float32), jax.sharding.SingleDeviceSharding(device, memory_kind=kind))
    assert x.sharding.memory_kind == kind
    np.testing.assert_array_equal(np.asarray(x), np.arange(4))


@pytest.mark.parametrize("kind", ["pinned_host", "device"])
def test_memory_kinds_of_results(device, kind):
    sharding = jax.sharding.SingleDeviceSharding(device, memory_kind=kind)
    y = jax.jit(lambda x: x + 1, out_shardings=sharding)(jnp.ones(3))
    assert y.sharding.memory_kind == kind
    np.testing.assert_array_equal(np.asarray(jax.jit(lambda y: y * 2)(y)), np.full(3, 4))


def test_memory_is_given_back(device):
    def in_use():
        gc.collect()
        return device.memory_stats()["bytes_in_use"]

    before = in_use()
    x = jax.device_put(np.zeros(1 << 22, np.float32))
    x.block_until_ready()
    assert in_use() >= before + (1 << 24)
    x.delete()
    assert in_use() <= before + (1 << 16)
    with pytest.raises(RuntimeError, match="deleted"):
        np.asarray(x)


# --- Donation -----------------------------------------------------------------------------------------------------------


def donating(fn, *argnums):
    return jax.jit(fn, donate_argnums=argnums)


def test_donated_arguments_are_deleted():
    x = jax.device_put(np.arange(1000, dtype=np.float32))
    address = x.unsafe_buffer_pointer()
    y = donating(lambda x: x + 1, 0)(x)
    assert x.is_deleted() and not y.is_deleted()
    assert y.unsafe_buffer_pointer() == address
    np.testing.assert_array_equal(np.asarray(y), np.arange(1000) + 1)
    with pytest.raises(RuntimeError, match="deleted"):
        x + 1


def test_donating_twice_is_an_error():
    f = donating(lambda x: x + 1, 0)
    x = jax.device_put(np.arange(8, dtype=np.float32))
    f(x)
    with pytest.raises((RuntimeError, ValueError), match="deleted|donated"):
        f(x)


@pytest.mark.parametrize("argnums", [(0,), (0, 1)])
def test_donating_an_array_that_is_passed_twice(argnums):
    x = jax.device_put(np.arange(8, dtype=np.float32))
    f = donating(lambda x, y: (x + 1, y * 2), *argnums)
    try:
        a, b = f(x, x)
    except (RuntimeError, ValueError) as e:  # an error that says why is as good
        assert "donate" in str(e)
    else:
        np.testing.assert_array_equal(np.asarray(a), np.arange(8) + 1)
        np.testing.assert_array_equal(np.asarray(b), np.arange(8) * 2)
    assert float(jnp.float32(1) + 1) == 2


@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
def test_donations_that_nobody_can_use():
    x = jax.device_put(np.arange(8, dtype=np.float32))
    np.testing.assert_array_equal(np.asarray(donating(lambda x: x[:4] + 1, 0)(x)), np.arange(4) + 1)
    x, y = jax.device_put((np.arange(8, dtype=np.float32), np.float32(2)))
    assert float(donating(lambda x, y: y + 1, 0)(x, y)) == 3


def test_donation_spares_views():
    x = jnp.arange(1000, dtype=jnp.float32) + 0
    view = np.asarray(x)
    y = donating(lambda x: x + 1, 0)(x)
    np.testing.assert_array_equal(np.asarray(y), np.arange(1000) + 1)
    np.testing.assert_array_equal(view, np.arange(1000))


def test_donation_in_a_loop(device):
    step = donating(lambda x: x * 2 - 1, 0)
    x = jnp.full((1 << 20,), 3, jnp.float32)
    for _ in range(20):
        x = step(x)
    assert float(x[5]) == 2 * 2**20 + 1


def test_results_that_are_arguments_live_for_themselves():
    x, y = jax.device_put((np.arange(5, dtype=np.float32), np.float32(2)))
    for gone in range(4):
        results = jax.jit(lambda x, y: (y, x, x, jnp.float32(3)))(x, y)
        results[gone].delete()
        with pytest.raises(RuntimeError, match="deleted"):
            np.asarray(results[gone])
        for k, want in enumerate([2, np.arange(5), np.arange(5), 3]):
            if k != gone:
                np.testing.assert_array_equal(results[k], want)
    x.delete()
    np.testing.assert_array_equal(results[1], np.arange(5))


# --- Errors -------------------------------------------------------------------------------------------------------------


def assert_usable():
    assert float(jax.jit(lambda x: x * 3)(jnp.float32(2))) == 6


def test_too_large_an_array_raises():
    huge = np.broadcast_to(np.float32(0), (1 << 44,))  # no memory on the host
    with pytest.raises(jax.errors.JaxRuntimeError, match="RESOURCE_EXHAUSTED"):
        jax.device_put(huge).block_until_ready()
    with pytest.raises(jax.errors.JaxRuntimeError, match="RESOURCE_EXHAUSTED"):
        jax.jit(lambda x: jnp.broadcast_to(x, (1 << 44,)) + 1)(np.float32(1)).block_until_ready()
    assert_usable()


def test_unknown_compiler_options():
    lowered = jax.jit(lambda x: x + 1).lower(jnp.float32(1))
    with pytest.raises(jax.errors.JaxRuntimeError, match="no_such_option"):
        lowered.compile(compiler_options={"no_such_option": True})
    lowered.compile(compiler_options={"xla_embed_ir_in_executable": True})
    assert_usable()


def test_an_array_of_more_elements_than_can_be_counted():
    """The operation, its type and the line."""
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"(?s)test_basics.py.*broadcast_in_dim.*2147483648x2147483648x8xf32"):
        jax.jit(lambda x: jnp.sum(jnp.broadcast_to(x, (1 << 31, 1 << 31, 8))))(np.float32(1))
    assert_usable()


def test_errors_of_shape_and_type_come_from_jax():
    with pytest.raises(TypeError):
        jnp.ones(3) + jnp.ones(4)
    with pytest.raises(TypeError):
        jax.jit(lambda x: x @ jnp.ones((3, 2)))(jnp.ones((4, 5)))
    assert_usable()


# --- Executables ----------------------------------------------------------------------------------------------------------


def test_what_a_compiled_function_tells():
    compiled = jax.jit(lambda x, y: x + y).lower(jnp.ones(1000), jnp.ones(1000)).compile()
    memory = compiled.memory_analysis()
    assert memory.argument_size_in_bytes == 8000 and memory.output_size_in_bytes == 4000
    assert compiled.cost_analysis()["bytes accessed"] >= 12000
    np.testing.assert_array_equal(np.asarray(compiled(jnp.ones(1000), jnp.ones(1000))), np.full(1000, 2.0))


def test_layouts(device):
    """Row-major is what there is; other orders say that they are not there yet."""
    from jax.experimental.layout import Format, Layout

    x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    sharding = jax.sharding.SingleDeviceSharding(device)
    for layout in (Layout((0, 1, 2)), Layout.AUTO):
        y = jax.jit(lambda x: x + 1, out_shardings=Format(layout, sharding))(x)
        assert y.format.layout.major_to_minor == (0, 1, 2)
        np.testing.assert_array_equal(y, x + 1)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"UNIMPLEMENTED: the layout \{0,1,2\} of result 0, tensor<3x4x5xf32>"):
        jax.jit(lambda x: x + 1, out_shardings=Format(Layout((2, 1, 0)), sharding))(x)
    assert_usable()


def test_serialized_executables():
    from jax.experimental import serialize_executable

    compiled = jax.jit(lambda x: jnp.exp(x).sum()).lower(jnp.ones(100)).compile()
    backend = jax.devices("treadle")[0].client
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled), backend=backend)
    assert float(loaded(jnp.ones(100))) == float(compiled(jnp.ones(100)))


# --- Asynchrony and threads -----------------------------------------------------------------------------------------------


def test_a_thousand_calls_in_flight():
    slow = jax.jit(lambda x: x @ x / 512)  # long enough to be queued, and with it all that waits for it
    f = jax.jit(lambda x, i: x[0] * i)
    x = jnp.ones((512, 512))
    f(x, np.float32(0)).block_until_ready()
    for _ in range(5):
        x = slow(x)
    results = [f(x, np.float32(i)) for i in range(1000)]
    for i, r in enumerate(results):
        np.testing.assert_array_equal(np.asarray(r), np.full(512, i, np.float32))


def test_a_long_chain():
    f = jax.jit(lambda x: x + 1)
    x = jnp.zeros(50_000, jnp.float32)
    for _ in range(1000):
        x = f(x)
    assert float(x[-1]) == 1000


def test_exit_with_work_queued():
    code = """if True:
        import jax, jax.numpy as jnp
        f = jax.jit(lambda x: x @ x / 512)
        x = jnp.ones((512, 512))
        for _ in range(20): x = f(x)
        print("left", flush=True)"""
    assert in_new_process(code)[0] == "left\n"


def test_threads_share_functions_and_make_their_own():
    shared = jax.jit(lambda x: x * 2 + 1)
    x = np.arange(10_000, dtype=np.float32)
    wrong = []

    def work(seed):
        with jax.default_device(jax.devices("treadle")[0]):
            own = jax.jit(lambda x: x * seed - 1)
            for _ in range(30):
                a, b = np.asarray(shared(x)), np.asarray(own(x))
                if not (a == x * 2 + 1).all() or not (b == x * np.float32(seed) - 1).all():
                    wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_deleting_what_still_runs():
    f = jax.jit(lambda x: x @ x / 700)
    x = jnp.ones((700, 700))
    y = f(f(f(x)))
    x.delete()
    assert abs(float(y[0, 0]) - 1) < 1e-3
