#!/usr/bin/env python3
"""How the time to compile grows with the size of a program: chains and loop bodies of more and more operations.

    benchmarks/compile_size.py --build build [--only REGEX] [--repeat 3]

Per program: the stages of its compilation in a new process with an empty cache (TREADLE_LOG=stages), least of the repeats, and the
whole as a multiple of the smallest program of its kind.
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = {"chain": (1000, 5000, 20000), "scalars": (600, 3000, 30000), "arrays": (600, 3000, 30000), "matrix": (600, 3000, 30000)}
CARRIES = 31


class Text:
    """Lines of a function body; values are numbered."""

    def __init__(self, type):
        self.lines, self.type, self.count = [], type, 0

    def op(self, code, *args, type=None, attributes=""):
        self.count += 1
        types = type or self.type
        self.lines.append(f"  %v{self.count} = stablehlo.{code} {', '.join(args)}{attributes} : {types}")
        return f"%v{self.count}"

    def constant(self, value, type=None):
        self.count += 1
        self.lines.append(f"  %v{self.count} = stablehlo.constant dense<{value}> : {type or self.type}")
        return f"%v{self.count}"

    def compare(self, direction, a, b, type=None):
        type = type or self.type
        boolean = re.sub(r"f32|i32", "i1", type)
        return self.op("compare", direction, a, b, type=f"({type}, {type}) -> {boolean}")


def mixed(text, values, ops):
    """About `ops` operations on the values, as a simulation's step has them: every tenth is a sine."""
    half, quarter, zero, small = (text.constant(x) for x in ("0.5", "0.25", "0.0", "0.01"))
    boolean = text.type.replace("f32", "i1")
    for k in range(ops // 8):
        a, b = k % len(values), (7 * k + 3) % len(values)
        x = text.op("multiply", text.op("sine", values[a]), half)
        y = text.op("add", x, text.op("multiply", values[b], quarter))
        chosen = text.op("select", text.compare("GT", values[b], zero), values[a], values[b], type=f"{boolean}, {text.type}")
        values[a] = text.op("add", text.op("subtract", y, chosen), small)
    return values


def chain(ops):
    text = Text("tensor<8192xf32>")
    value, scale = "%x", "%y"
    choose = random.Random(0)  # no two stretches alike: each is a kernel of its own
    for _ in range(ops):
        value = text.op(choose.choice(("add", "multiply", "subtract", "maximum")), value, scale)
    return f"func.func @main(%x: {text.type}, %y: {text.type}) -> {text.type} {{\n" + "\n".join(text.lines) + f"\n  return {value} : {text.type}\n}}\n"


def loop(ops, type, trips, carries=CARRIES):
    """A while of `trips` iterations over carries of `type`."""
    text = Text(type)
    results = mixed(text, [f"%c{k}" for k in range(carries)], ops)
    one = text.constant("1", "tensor<i32>")
    counter = text.op("add", "%i", one, type="tensor<i32>")
    types = ", ".join(["tensor<i32>"] + [type] * carries)
    carried = ", ".join(["%i = %zero"] + [f"%c{k} = %a{k}" for k in range(carries)])
    arguments = ", ".join(f"%a{k}: {type}" for k in range(carries))
    return f"""func.func @main({arguments}) -> {type} {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %trips = stablehlo.constant dense<{trips}> : tensor<i32>
  %w:{carries + 1} = stablehlo.while({carried}) : {types}
  cond {{
  %go = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %go : tensor<i1>
  }} do {{
""" + "\n".join(text.lines) + f"\n  stablehlo.return {', '.join([counter] + results)} : {types}\n  }}\n  return %w#1 : {type}\n}}\n"


def program(kind, ops):
    if kind == "chain":
        return chain(ops)
    shape = {"scalars": "tensor<f32>", "arrays": "tensor<1024xf32>", "matrix": "tensor<4x4xf32>"}[kind]
    return loop(ops, shape, 100)


def stages(treadle, path, inputs, directory):
    env = dict(os.environ, TREADLE_LOG="stages", TREADLE_CACHE_DIR=directory)
    command = [treadle, "run", path] + [word for value in inputs for word in ("--input", value)]
    start = time.perf_counter()
    result = subprocess.run(command, env=env, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if result.returncode:
        sys.exit(result.stderr[-2000:])
    line = next(line for line in result.stderr.splitlines() if "compiled:" in line and "read" in line)
    return {name: float(ms) for name, ms in re.findall(r"(\w+) ([\d.]+) ms", line)}, seconds * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", default="", help="regular expression that programs must match, as chain_1000")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--keep", help="directory to leave the programs in")
    args = parser.parse_args()
    treadle = (ROOT / args.build / "bin/treadle")
    for kind, sizes in SIZES.items():
        smallest = None
        for size in sizes:
            if not re.search(args.only, f"{kind}_{size}"):
                continue
            with tempfile.TemporaryDirectory(prefix="treadle-size-") as directory:
                path = pathlib.Path(args.keep or directory) / f"{kind}_{size}.mlir"
                text = program(kind, size)
                path.write_text(text)
                inputs = [f"{'x'.join(dims.split('x')[:-1]) + 'x' if 'x' in dims else ''}f32=0.5" for dims in re.findall(r"%[a-z]\d*: tensor<([^>]*)>", text.split("->")[0])]
                best = None
                for k in range(args.repeat):
                    run = stages(treadle, path, inputs, f"{directory}/cache{k}")
                    best = run if best is None or sum(run[0].values()) < sum(best[0].values()) else best
            total = sum(best[0].values())
            smallest = smallest or total
            parts = " ".join(f"{name} {ms:.0f}" for name, ms in best[0].items())
            print(f"{kind:8} {size:6}  {total:8.1f} ms  x{total / smallest:5.1f}  {parts}  process {best[1]:.0f}", flush=True)


if __name__ == "__main__":
    main()
