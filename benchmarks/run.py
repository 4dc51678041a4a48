#!/usr/bin/env python3
"""Everything in benchmarks/: Google Benchmark programs, compile times by size of program,
then JAX programs against jaxlib's CPU backend.

    benchmarks/run.py --build build [--only REGEX]
"""
import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", default="", help="regular expression that benchmarks must match")
    args = parser.parse_args()
    env = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}  # they cripple rivals
    status = 0
    for program in sorted((ROOT / args.build / "bin").glob("*_benchmark")):
        print(f"== {program.name}", flush=True)
        status |= subprocess.run([program] + ([f"--benchmark_filter={args.only}"] if args.only else []), env=env).returncode
    print("== compile_size", flush=True)
    size = [sys.executable, ROOT / "benchmarks/compile_size.py", "--build", args.build, "--only", args.only, "--repeat", "1"]
    status |= subprocess.run(size, env=env).returncode
    print("== jax_programs", flush=True)
    status |= subprocess.run([sys.executable, ROOT / "benchmarks/jax_programs.py", "--only", args.only], env=env).returncode
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
