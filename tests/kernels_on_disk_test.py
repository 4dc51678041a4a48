"""Programs of very many kernels, and of other instruction sets, in one folder of compiled kernels."""
import os
import pathlib
import re
import subprocess

import pytest
from run_text import TREADLE


def sums_of_chains(count):
    """`count` sums, each of another chain of products and sums over another length: as many kernels."""
    lines, total = ["  %zero = stablehlo.constant dense<0.0> : tensor<f32>"], "%zero"
    for k in range(count):
        n = 4100 + k
        array, value = f"tensor<{n}xf32>", f"%x{k}"
        lines.append(f"  {value} = stablehlo.slice %x [0:{n}] : (tensor<9000xf32>) -> {array}")
        for bit in range(11):
            lines.append(f"  %v{k}_{bit} = stablehlo.{'add' if k >> bit & 1 else 'multiply'} {value}, %x{k} : {array}")
            value = f"%v{k}_{bit}"
        lines += [f"  %sum{k} = stablehlo.reduce({value} init: %zero) applies stablehlo.add across dimensions = [0] : ({array}, tensor<f32>) -> tensor<f32>",
                  f"  %total{k} = stablehlo.add {total}, %sum{k} : tensor<f32>"]
        total = f"%total{k}"
    return "\n".join(["func.func @main(%x: tensor<9000xf32>) -> tensor<f32> {", *lines, f"  return {total} : tensor<f32>", "}"])


def run(folder, text, **environment):
    """(what it printed, kernels compiled, kernels from disk)"""
    (folder / "program.mlir").write_text(text)
    done = subprocess.run([TREADLE, "run", folder / "program.mlir", "--input", "random:1"], capture_output=True, text=True, timeout=300,
                          env=os.environ | {"TREADLE_CACHE_DIR": str(folder / "kernels"), "TREADLE_LOG": "compile"} | environment)
    assert done.returncode == 0, done.stderr
    return done.stdout, int(re.search(r"(\d+) kernels compiled", done.stderr)[1]), int(re.search(r"(\d+) from disk", done.stderr)[1])


def test_hundreds_of_kernels(tmp_path):
    first, compiled, _ = run(tmp_path, sums_of_chains(200))
    assert compiled >= 200
    again, compiled, from_disk = run(tmp_path, sums_of_chains(200))
    assert again == first and compiled == 0 and from_disk >= 200


@pytest.mark.skipif("avx2" not in pathlib.Path("/proc/cpuinfo").read_text(), reason="the least instruction set is this machine's")
def test_each_instruction_set_has_its_own(tmp_path):
    text = sums_of_chains(10)
    first, native, _ = run(tmp_path, text)
    _, compiled, from_disk = run(tmp_path, text, TREADLE_ISA="v2")
    assert compiled >= 10 and from_disk == 0
    assert run(tmp_path, text, TREADLE_ISA="v2")[1] == 0
    assert run(tmp_path, text) == (first, 0, native)
