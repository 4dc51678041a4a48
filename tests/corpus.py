#!/usr/bin/env python3
"""Runs the conformance programs of TREADLE_SHARED (default ../shared) and counts, folder by folder, those that pass.

    tests/corpus.py [--build build] [--engine compiled,reference] [--only REGEX] [-v] [--json FILE]

Programs run by `treadle run --check`, compiled and on the reference interpreter; portable artifacts (vhlo) load, verify and print by
`treadle opt`, but one that must be refused. -v tells each failure; --json writes {engine: {folder: {file: [failures]}}}. Exits 1 where
something failed, 0 (with a note) where there is no corpus.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = pathlib.Path(os.environ.get("TREADLE_SHARED", ROOT.parent / "shared")) / "corpus" / "stablehlo"
FOLDERS = ("testdata", "quantized", "interpret", "math", "vhlo")
ENGINES = ("compiled", "reference")
BATCH = 100  # files a process; what crashes one is found file by file
REFUSED = "invalid_vhlo_future.mlir.bc"


def check_batch(treadle, engine, files):
    """{file: failures} of one process."""
    command = [treadle, "run", "--check", "--json", *(["--reference"] if engine == "reference" else []), *map(str, files)]
    try:
        process = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60 + 20 * len(files))
        status, output, errors = process.returncode, process.stdout, process.stderr
    except subprocess.TimeoutExpired as timeout:
        status, output, errors = "a timeout", (timeout.stdout or b"").decode(errors="replace"), ""
    results = {}
    for line in output.splitlines():
        if line.startswith('{"file": '):
            report = json.loads(line)
            results[pathlib.Path(report["file"])] = report["failures"]
    if status in (0, 1) and len(results) == len(files):
        return results
    if len(files) == 1:
        return {files[0]: [f"{files[0]}: error: the process ended with {status}: {errors[-500:]}"]}
    for file in files:
        if file not in results:
            results |= check_batch(treadle, engine, [file])
    return results


def check_artifact(treadle, file):
    """Failures of one portable artifact."""
    process = subprocess.run([treadle, "opt", str(file)], capture_output=True, text=True, errors="replace", timeout=60)
    if file.name == REFUSED:
        is_clear = process.returncode == 1 and ": error: " in process.stderr or "future" in process.stderr
        return [] if is_clear else [f"{file}: error: must be refused with a clear error, exit status {process.returncode}: {process.stderr}"]
    if process.returncode == 0 and "func.func" in process.stdout:
        return []
    return [f"{file}: error: exit status {process.returncode}: {process.stderr[-1000:]}"]


def run(treadle, engine, only=""):
    """{folder: {file: failures}}."""
    results = {}
    for folder in FOLDERS:
        files = sorted(file for file in (CORPUS / folder).iterdir() if re.search(only, f"{folder}/{file.name}"))
        results[folder] = {}
        if folder == "vhlo":
            for file in files:
                results[folder][file.name] = check_artifact(treadle, file)
            continue
        for first in range(0, len(files), BATCH):
            for file, failures in check_batch(treadle, engine, files[first : first + BATCH]).items():
                results[folder][file.name] = failures
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--engine", default=",".join(ENGINES))
    parser.add_argument("--only", default="", help="files whose folder/name this matches")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    if not CORPUS.exists():
        print(f"skipped: no corpus at {CORPUS} (set TREADLE_SHARED)")
        return 0
    everything = {}
    failed = 0
    for engine in args.engine.split(","):
        if engine not in ENGINES:
            parser.error(f"there is no engine {engine}")
        everything[engine] = run(str((ROOT / args.build / "bin" / "treadle").resolve()), engine, args.only)
        for folder, files in everything[engine].items():
            bad = {name: failures for name, failures in files.items() if failures}
            failed += len(bad)
            print(f"{engine:9} {folder:9} {len(files) - len(bad)} passed, {len(bad)} failed of {len(files)}", flush=True)
            for failures in bad.values() if args.verbose else ():
                print("\n".join("    " + failure for failure in failures))
    if args.json:
        args.json.write_text(json.dumps(everything, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
