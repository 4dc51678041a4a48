"""Programs as texts, run by the tool."""
import os
import pathlib
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
TREADLE = pathlib.Path(os.environ.get("TREADLE_BUILD", ROOT / "build")) / "bin" / "treadle"


def run_text(folder, text, arguments, results, *options):
    """The first `results` results of @main, by `treadle run` with these options; arrays travel through files in `folder`."""
    (folder / "program.mlir").write_text(text)
    command = [TREADLE, "run", *options, folder / "program.mlir"]
    for i, array in enumerate(arguments):
        np.save(folder / f"{i}.npy", array)
        command += ["--input", f"@{folder}/{i}.npy"]
    for i in range(results):
        command += ["--output", folder / f"out{i}.npy"]
    process = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert process.returncode == 0, process.stderr + text
    return [np.load(folder / f"out{i}.npy") for i in range(results)]
