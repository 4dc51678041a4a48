"""The table of operations in docs/ says what the sources say."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What no program can be compiled with yet.
NOT_COMPILED = {"return", "infeed", "outfeed", "send", "recv", "async_start", "async_done", "ragged_dot", "scan",
                "_asin_acos_kernel", "dynamic_conv"}


def test_it_is_up_to_date():
    script = subprocess.run([sys.executable, ROOT / "docs/make_operations.py", "--check"], capture_output=True, text=True)
    assert script.returncode == 0, script.stderr


def test_what_is_not_compiled_is_known():
    rows = [line.split("|") for line in (ROOT / "docs/operations.md").read_text().splitlines() if line.startswith("| `")]
    assert len(rows) > 150
    assert {row[1].strip(" `") for row in rows if row[6].strip() == "-"} <= NOT_COMPILED
