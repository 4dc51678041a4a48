"""What one process compiles, the next one finds (compiler/cache)."""
import os
import re
import subprocess
import sys

PROGRAM = """
import hashlib
import jax, jax.numpy as jnp, numpy as np

rng = np.random.default_rng(0)
x, w = (jax.device_put(rng.standard_normal(s).astype(np.float32)) for s in ((300, 257), (257, 65)))

def loss(w, x):
    y = jnp.tanh(x @ w) * 1.2345 + jnp.exp(-x[:, :65] ** 2)
    return jnp.sum(jax.nn.log_softmax(y) * jnp.sin(y), axis=-1).mean()

results = [*jax.jit(jax.value_and_grad(loss))(w, x),
           jax.jit(lambda x: jax.lax.scan(lambda c, v: (0.9 * c + v, c * c), jnp.zeros(257), x))(x)[1],
           jax.jit(lambda x: x[::-1] * 3.25 - x)(x)]
digest = hashlib.sha256()
for result in results:
    digest.update(np.asarray(result).tobytes())
print(digest.hexdigest())
"""


def run(cache):
    """(what it printed, kernels compiled in each line of the log, from disk, the log)"""
    environment = dict(os.environ, JAX_PLATFORMS="treadle", TREADLE_LOG="compile", TREADLE_CACHE_DIR=str(cache))
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    compiled = [int(n) for n in re.findall(r"(\d+) kernels compiled", done.stderr)]
    assert len(compiled) >= 2, done.stderr
    from_disk = int(re.search(r"there: .* (\d+) from disk", done.stderr)[1])
    return done.stdout, compiled, from_disk, done.stderr


def test_the_second_process_compiles_nothing(tmp_path):
    first, compiled, from_disk, _ = run(tmp_path / "cache")
    assert compiled[-1] >= 4 and from_disk == 0
    again, compiled, from_disk, log = run(tmp_path / "cache")
    assert set(compiled) == {0} and from_disk > 3, log
    assert again == first


def test_damaged_files_are_replaced(tmp_path):
    first, *_ = run(tmp_path)
    files = sorted((tmp_path / "kernels").iterdir())
    for i, file in enumerate(files):
        data = bytearray(file.read_bytes())
        data[len(data) * i // len(files)] ^= 0x40
        file.unlink()  # a file may have several names
        file.write_bytes(data if i % 2 else data[: len(data) // 2])
        file.chmod(0o600)
    again, compiled, _, log = run(tmp_path)
    assert again == first
    assert compiled[-1] >= 4 and "is dropped" in log, log
    again, compiled, from_disk, log = run(tmp_path)
    assert again == first and set(compiled) == {0} and from_disk > 3 and "is dropped" not in log, log


def test_it_can_be_switched_off_and_need_not_be_possible():
    for directory in ("off", "off", "", "/proc/treadle"):
        _, compiled, from_disk, log = run(directory)
        assert compiled[-1] >= 4 and from_disk == 0
        assert log.count("are not kept in") == (directory == "/proc/treadle"), log


def test_two_processes_at_once(tmp_path):
    environment = dict(os.environ, JAX_PLATFORMS="treadle", TREADLE_CACHE_DIR=str(tmp_path))
    pair = [subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)]
    outputs = [process.communicate(timeout=120) for process in pair]
    assert outputs[0] == outputs[1] and outputs[0][1] == "", outputs
    again, compiled, *_ = run(tmp_path)
    assert again == outputs[0][0] and set(compiled) == {0}
