"""The plugin as a file, what an independent client says of it, and the wheel around it."""
import base64
import csv
import hashlib
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLUGIN = pathlib.Path(os.environ.get("TREADLE_BUILD", ROOT / "build")) / "lib/pjrt_c_api_treadle_plugin.so"


def output(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300, **options).stdout


def test_exports_one_symbol():
    symbols = [line.split()[-1] for line in output("nm", "-D", "--defined-only", str(PLUGIN)).splitlines()]
    assert symbols == ["GetPjrtApi"]


def test_is_small_and_needs_only_the_system():
    assert PLUGIN.stat().st_size <= 45 << 20
    needed = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", str(PLUGIN)))
    assert {name.split(".so")[0] for name in needed} <= {"libc", "libm", "libz", "libzstd", "ld-linux-x86-64"}, needed


def test_independent_client():
    pytest.importorskip("pypjrt")
    done = subprocess.run([sys.executable, "-m", "pypjrt.conform", str(PLUGIN)], capture_output=True, text=True, timeout=300)
    passed, failed = re.search(r"(\d+) pass .* (\d+) FAIL", done.stdout).groups()
    assert done.returncode == 0 and int(failed) == 0 and int(passed) >= 53, done.stdout


def test_wheel(tmp_path):
    spec = importlib.util.spec_from_file_location("build_wheel", ROOT / "python/build_wheel.py")
    build_wheel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build_wheel)
    name = build_wheel.make_wheel(PLUGIN, tmp_path)
    with zipfile.ZipFile(tmp_path / name) as wheel:
        assert wheel.testzip() is None
        files = set(wheel.namelist())
        info = f"{build_wheel.stem()}.dist-info/"
        assert "jax_plugins/treadle/__init__.py" in files and "jax_plugins/__init__.py" not in files
        assert wheel.read("jax_plugins/treadle/" + build_wheel.LIBRARY) == PLUGIN.read_bytes()
        assert wheel.read(info + "entry_points.txt").decode() == "[jax_plugins]\ntreadle = jax_plugins.treadle\n"
        recorded = {row[0]: row[1] for row in csv.reader(wheel.read(info + "RECORD").decode().splitlines())}
        assert set(recorded) == files
        for file, digest in recorded.items():
            if digest:
                actual = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(file)).digest()).rstrip(b"=").decode()
                assert digest == "sha256=" + actual
    version = re.search(r"project\(treadle VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert build_wheel.project()["version"] == version
