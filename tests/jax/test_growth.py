"""Long programs, many programs, many arguments, large arrays: time, stack, threads and memory grow no faster than they do."""
import os
import subprocess
import sys
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import run_text
from jax import lax

F32 = np.float32


@pytest.fixture(autouse=True)
def on_treadle():
    with jax.default_device(jax.devices("treadle")[0]):
        yield


def compiled(fn, *shapes, **options):
    return jax.jit(fn, **options).lower(*[jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in shapes]).compile()


# --- Time ---


def test_time_to_compile_unrolled_steps():
    """Each step uses the last one several times, and changes shape: what is written down twice at each step doubles."""

    def seconds(n):
        def steps(x):
            for k in range(n):
                x = jnp.sin(x) * (1 + k / 100) + jnp.cumsum(x)[::-1] / 50 + jnp.dot(x, x) * x[::-1]
            return x

        lowered = jax.jit(steps).lower(jax.ShapeDtypeStruct((50,), F32))
        start = time.perf_counter()
        lowered.compile()
        return time.perf_counter() - start

    seconds(5)
    few, many = seconds(20), seconds(160)
    assert many < 8 * 6 * max(few, 0.1)


def test_long_chain_on_a_small_stack():
    """Twenty thousand operations in a thread as small as hosts make them, compiled and run; against NumPy."""
    length, x = 20_000, np.linspace(-1, 1, 16, dtype=F32)
    operations = ["add", "maximum", "subtract", "minimum"]
    lines = [f"  %v{k + 1} = stablehlo.{operations[k % 4]} %v{k}, %v{max(k - 3, 0)} : tensor<16xf32>" for k in range(length)]
    text = "\n".join(["func.func @main(%v0: tensor<16xf32>) -> tensor<16xf32> {", *lines, f"  return %v{length} : tensor<16xf32>", "}"])
    values = [x]
    for k in range(length):
        values.append([np.add, np.maximum, np.subtract, np.minimum][k % 4](values[k], values[max(k - 3, 0)]))
    results = []
    threading.stack_size(512 << 10)
    try:
        thread = threading.Thread(target=lambda: results.extend(run_text(text, x)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(0)
    np.testing.assert_array_equal(results[0], values[-1])


# --- Memory ---


def test_memory_of_many_counts():
    """A hundred histograms of the same arrays need no more room than one: that of three arrays."""
    n = 10**6

    def histograms(weights, x):
        return sum(jnp.bincount(x, weights=weights * (k + 1), length=100) for k in range(100))

    assert compiled(histograms, ((n,), F32), ((n,), np.int32)).memory_analysis().temp_size_in_bytes <= 3 * 4 * n + 10_000


def test_memory_of_updates_in_a_loop():
    """In place, in what the caller gives away; and the values are right."""
    n = 10**5
    step = lambda i, x: x.at[i].add(x[i - 1] + 1)
    run = lambda x: lax.fori_loop(1, n, step, x)
    memory = compiled(run, ((n,), np.int32), donate_argnums=0).memory_analysis()
    assert memory.alias_size_in_bytes == 4 * n and memory.temp_size_in_bytes <= 0.1 * 4 * n
    x = jax.device_put(np.arange(n, dtype=np.int32))
    want = np.cumsum(np.arange(n) + np.minimum(np.arange(n), 1), dtype=np.int32)
    np.testing.assert_array_equal(jax.jit(run, donate_argnums=0)(x), want)


MANY = """
import gc, os
import jax, jax.numpy as jnp, numpy as np

def status(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))

def work(first, count):
    for k in range(first, first + count):
        f = jax.jit(lambda x: (x * (k + 0.5) + k) if k % 2 else x[:1 + k % 7] - k)
        assert f(x).shape
    jax.clear_caches()
    gc.collect()

x = jax.device_put(np.ones(10, np.float32))
threads, memory = [], []
for k in range(4):
    work(20 * k, 20)
    threads.append(status("Threads:"))
    memory.append(status("VmRSS:"))
# What is compiled in the background comes in between, once.
print(threads[-1] - threads[0], min(b - a for a, b in zip(memory, memory[1:])) / 20)
"""


def test_many_small_programs():
    """They come and go: no threads more, and little memory (KiB each) beside what Python and JAX keep."""
    environment = os.environ | {"JAX_PLATFORMS": "treadle", "TREADLE_CACHE_DIR": "off", "TREADLE_PREPARED_MIB": "0"}
    done = subprocess.run([sys.executable, "-c", MANY], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    threads, memory = done.stdout.split()
    assert int(threads) <= 0 and float(memory) < 20


# --- Signatures ---


def test_thousands_of_arguments_of_which_few_are_used():
    arguments = [np.full(3, k, F32) for k in range(2000)]
    got = jax.jit(lambda *a: sum(a[k] * (k + 1) for k in range(0, 2000, 200)))(*arguments)
    np.testing.assert_array_equal(got, np.full(3, sum(k * (k + 1) for k in range(0, 2000, 200)), F32))
    kept = jax.jit(lambda *a: a[1], keep_unused=True)(*arguments[:500])
    np.testing.assert_array_equal(kept, arguments[1])


def test_hundreds_of_results():
    x = np.arange(3, dtype=F32)
    for k, result in enumerate(jax.jit(lambda x: [x * (k % 50) for k in range(500)])(x)):
        np.testing.assert_array_equal(result, x * (k % 50))
