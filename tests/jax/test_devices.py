"""Many devices in one client: placement, sharded arrays, shard_map and pmap; against NumPy.

The number of devices is that of a process, so the scenarios run in one process of their own, with eight devices, which prints a
line for each; here each line is a test. Every scenario asserts by itself.
"""
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCENARIOS = Path(__file__).parent / "devices_scenarios.py"


def names():
    return [line[4:line.index("(")] for line in SCENARIOS.read_text().splitlines() if line.startswith("def scenario_")]


@pytest.fixture(scope="module", params=["2", "1"], ids=["2threads", "1thread"])
def outcomes(request):
    # jax.debug.print hands its values to Python as arrays of JAX's "cpu" platform, which has to be listed for it.
    environment = os.environ | {"JAX_PLATFORMS": "treadle,cpu", "TREADLE_NUM_DEVICES": "8", "TREADLE_NUM_THREADS": request.param}
    process = subprocess.run([sys.executable, str(SCENARIOS)], env=environment, capture_output=True, text=True, timeout=600)
    lines = dict(line.split(" ", 1) for line in process.stdout.splitlines() if line.startswith("scenario_"))
    return lines, process


@pytest.mark.parametrize("name", names())
def test_scenario(outcomes, name):
    lines, process = outcomes
    assert lines.get(name) == "ok", lines.get(name, process.stdout[-2000:] + process.stderr[-4000:]).replace("\\n", "\n")
    assert process.returncode == 0, process.stderr[-4000:]


def test_unknown_number():
    environment = os.environ | {"JAX_PLATFORMS": "treadle", "TREADLE_NUM_DEVICES": "many"}
    process = subprocess.run([sys.executable, "-c", "import jax; jax.devices()"], env=environment, capture_output=True, text=True, timeout=120)
    assert process.returncode != 0 and "TREADLE_NUM_DEVICES is 'many'" in process.stderr
