"""Programs of four devices exactly as JAX hands them to a plugin: shardings, constraints, manual computations with each collective.

Each runs here and on jaxlib's CPU backend, on the same arguments; results are put together by what the executables say of their
shardings, and agree. The programs come from TREADLE_SHARED (default ../shared); without it tests are skipped.
"""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = pathlib.Path(os.environ.get("TREADLE_SHARED", ROOT.parent / "shared")) / "corpus" / "jax_programs"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.mlirbc") if re.search("_(auto|explicit)_", path.name))


@pytest.fixture(scope="module")
def outcomes():
    """The number of devices is that of a process, so one of its own runs all programs and prints a line for each."""
    environment = os.environ | {"JAX_PLATFORMS": "treadle,cpu", "TREADLE_NUM_DEVICES": "8", "XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    process = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, timeout=600)
    return dict(line.split(" ", 1) for line in process.stdout.splitlines() if " " in line), process.stderr


@pytest.mark.skipif(not NAMES, reason=f"no programs at {PROGRAMS}")
@pytest.mark.parametrize("name", NAMES)
def test_runs_like_jaxlib(outcomes, name):
    lines, errors = outcomes
    assert lines.get(name) == "ok", lines.get(name, errors[-2000:]).replace("\\n", "\n")


def signature(text):
    """(dims, partition spec) of the program's arguments and results, from JAX's text of it."""
    from jax.sharding import PartitionSpec

    main = next(line for line in text.splitlines() if "func.func public @main" in line)
    return [
        [
            ([int(dim) for dim in dims.split("x") if dim],
             PartitionSpec(*(tuple(re.findall(r'"(\w+)"', axes)) or None for axes in re.findall(r"\{(.*?)\}", sharding or ""))))
            for dims, sharding in re.findall(r"tensor<([0-9x]*?)x?f32>(?: \{(?:jax[^,}]*, )?sdy\.sharding = #sdy\.sharding<@mesh, \[(.*?)\]>\})?", part)
        ]
        for part in main.split(") -> (")
    ]


def run(name, platform):
    """Whole results of the program on four devices of a platform."""
    import jax
    import numpy as np
    from jax._src.lib import xla_client
    from jax._src.sharding_impls import GSPMDSharding

    devices = jax.devices(platform)[:4]
    mesh = jax.sharding.Mesh(np.array(devices).reshape(2, 2), ("x", "y"))
    arguments, results = signature((PROGRAMS / f"{name}.mlir").read_text())
    options = xla_client.CompileOptions.ParseFromString((PROGRAMS / f"{name}.options.pb").read_bytes())
    program = devices[0].client.compile_and_load((PROGRAMS / f"{name}.mlirbc").read_bytes(), xla_client.DeviceList(tuple(devices)), options)
    random = np.random.default_rng(1)
    placed = [jax.device_put(random.normal(size=dims).astype(np.float32), jax.sharding.NamedSharding(mesh, spec)) for dims, spec in arguments]
    parts = program.execute_sharded(placed).disassemble_into_single_device_arrays()
    wholes = []
    for on_devices, sharding, (dims, _) in zip(parts, program.get_output_shardings(), results, strict=True):
        whole = np.full(dims, np.nan, np.float32)
        for device, index in GSPMDSharding(devices, sharding).devices_indices_map(tuple(dims)).items():
            whole[index] = np.asarray(on_devices[devices.index(device)])
        wholes.append(whole)
    return wholes


def main():
    import traceback

    import numpy as np

    for name in NAMES:
        try:
            for ours, theirs in zip(run(name, "treadle"), run(name, "cpu"), strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-5)
            print(name, "ok", flush=True)
        except Exception:  # noqa: BLE001: reported by name
            print(name, traceback.format_exc().replace("\n", "\\n"), flush=True)


if __name__ == "__main__":
    main()
