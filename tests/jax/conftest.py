"""Scenarios: the same JAX programs on Treadle and on jaxlib's CPU backend, in one process."""
import collections
import os
import tempfile

os.environ["JAX_PLATFORMS"] = "treadle,cpu"
# What earlier runs compiled is compiled again, and the user's cache is left alone.
empty = tempfile.TemporaryDirectory(prefix="treadle-cache-", ignore_cleanup_errors=True)
os.environ["TREADLE_CACHE_DIR"] = empty.name
os.environ.setdefault("JAX_ENABLE_X64", "0")

import jax
import numpy as np
import pytest


def pytest_addoption(parser):
    parser.addoption("--every", type=int, default=1, metavar="N", help="of the cases of a test, the first and each N-th after it")


def pytest_collection_modifyitems(config, items):
    every, seen = config.getoption("--every", 1), collections.Counter()
    dropped = []
    for item in items:
        test = item.nodeid.split("[")[0]
        if seen[test] % every:
            dropped.append(item)
        seen[test] += 1
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if item not in set(dropped)]


def pytest_report_header(config):
    return f"jax {jax.__version__}, {jax.devices('treadle')[0]}"


def on(platform, fn, args, **jit_options):
    """Results of jit(fn)(*args) on `platform`, as NumPy arrays."""
    device = jax.devices(platform)[0]
    placed = jax.device_put(args, device)
    with jax.default_device(device):
        return jax.tree.map(np.asarray, jax.jit(fn, **jit_options)(*placed))


def run_text(text, *args):
    """Results of a StableHLO program on Treadle, as NumPy arrays."""
    from jax._src.lib import xla_client  # the only way to compile a module that JAX did not write
    from jaxlib import _jax

    device = jax.devices("treadle")[0]
    program = device.client.compile_and_load(text, _jax.DeviceList((device,)), xla_client.CompileOptions())
    return [np.asarray(r) for r in program.execute(list(jax.device_put(args, device)))]


def assert_same(ours, theirs, rtol, atol):
    ours, theirs = jax.tree.leaves(ours), jax.tree.leaves(theirs)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        assert a.shape == b.shape and a.dtype == b.dtype
        if a.dtype.kind in "biu":
            np.testing.assert_array_equal(a, b)
        else:
            wide = np.complex128 if a.dtype.kind == "c" else np.float64
            np.testing.assert_allclose(a.astype(wide), b.astype(wide), rtol=rtol, atol=atol)


@pytest.fixture
def compare():
    """compare(fn, *args, rtol=, atol=): Treadle's results equal those of jaxlib's CPU backend. Returns Treadle's."""

    def check(fn, *args, rtol=2e-6, atol=1e-6, **jit_options):
        ours = on("treadle", fn, args, **jit_options)
        assert_same(ours, on("cpu", fn, args, **jit_options), rtol, atol)
        return ours

    return check


def assert_same_bits(ours, theirs):
    """Signs of zeros count; what bits a NaN has does not."""
    ours, theirs = jax.tree.leaves(ours), jax.tree.leaves(theirs)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        a, b = np.asarray(a), np.asarray(b)
        assert a.shape == b.shape and a.dtype == b.dtype
        parts = [(a.real, b.real), (a.imag, b.imag)] if a.dtype.kind == "c" else [(a, b)]
        for x, y in parts:
            np.testing.assert_array_equal(x, y)
            if x.dtype.kind not in "biu":
                np.testing.assert_array_equal(np.signbit(x) & (x == x), np.signbit(y) & (y == y))


@pytest.fixture
def every_way():
    """every_way(fn, *args): Treadle's results: the same op by op, of one program, and of one where the arguments are constants."""

    def check(fn, *args):
        device = jax.devices("treadle")[0]
        placed = jax.device_put(args, device)
        with jax.default_device(device):
            results = jax.jit(fn)(*placed)
            with jax.disable_jit():
                assert_same_bits(fn(*placed), results)
            assert_same_bits(jax.jit(lambda: fn(*[jax.numpy.asarray(a) for a in args]))(), results)
        return jax.tree.map(np.asarray, results)

    return check


@pytest.fixture
def rng():
    return np.random.default_rng(0)
