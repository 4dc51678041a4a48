#!/usr/bin/env python3
"""Runs the fuzzers of a build with libFuzzer, one after the other, FUZZ_SECONDS (default 1800) each.

    tests/fuzz/run.py --build build-fuzz [--only artifact_fuzz,text_fuzz,compile_fuzz]

Each starts from small programs of the tests, and those of TREADLE_SHARED where that is there, and keeps what it learns in
BUILD/corpus/NAME for the next time. An input that crashes, hangs or needs too much memory lies in BUILD/found/ afterwards.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("TREADLE_SHARED", ROOT.parent / "shared")) / "corpus"
TEXTS = [ROOT / "tests/fuzz/seeds", ROOT / "stablehlo", ROOT / "tools", SHARED / "stablehlo/interpret", SHARED / "stablehlo/quantized"]
ARTIFACTS = [ROOT / "stablehlo/artifact/testdata", SHARED / "stablehlo/vhlo", SHARED / "jax_programs"]
SEEDS = {
    "artifact_fuzz": {".mlirbc": ARTIFACTS, ".bc": ARTIFACTS},
    "text_fuzz": {".mlir": TEXTS},
    "compile_fuzz": {".mlir": TEXTS, ".mlirbc": ARTIFACTS, ".bc": ARTIFACTS},
}
LARGEST = 32 << 10  # of a seed, in bytes
LIMITS = ["-max_len=65536", "-timeout=30", "-rss_limit_mb=4096", "-detect_leaks=0", "-print_final_stats=1"]


def seeds(name):
    for suffix, folders in SEEDS[name].items():
        for folder in folders:
            for path in sorted(folder.rglob("*" + suffix)):
                if path.stat().st_size <= LARGEST:
                    yield path


def write_dictionary(paths, target):
    """The words of the texts, for libFuzzer to put in."""
    words = set()
    for path in paths:
        if path.suffix == ".mlir":
            words.update(re.findall(r"[\w.]{3,40}", path.read_text(errors="replace")))
    words.update(["1099511627776", "9223372036854775807", "-9223372036854775808", "4294967296", "complex<f32>"])
    target.write_text("".join(f'"{word}"\n' for word in sorted(words)))


def fuzz(build, name, seconds):
    corpus, found = build / "corpus" / name, build / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    paths = list(seeds(name))
    for path in paths:
        shutil.copyfile(path, corpus / path.name)
    dictionary = build / (name + ".dict")
    write_dictionary(paths, dictionary)
    env = dict(os.environ, TREADLE_CACHE_DIR="off")
    # As in tests/run.py: LLVM's archives are not instrumented.
    env.setdefault("ASAN_OPTIONS", "allow_user_poisoning=0:detect_container_overflow=0:allocator_may_return_null=1")
    print(f"{name}: {len(paths)} seeds, {seconds} s", flush=True)
    log = build / (name + ".log")
    with open(log, "wb") as out:
        status = subprocess.run([build / "bin" / ("treadle_" + name), corpus, *LIMITS, f"-max_total_time={seconds}",
                                 f"-dict={dictionary}", f"-artifact_prefix={found}/{name}-"],
                                stdout=out, stderr=subprocess.STDOUT, env=env).returncode
    text = log.read_text(errors="replace")
    runs = re.search(r"stat::number_of_executed_units: *(\d+)", text)
    print(f"{'ok' if status == 0 else 'FAIL':4} {name}: {runs.group(1) if runs else '?'} inputs", flush=True)
    if status != 0:
        print(text[-5000:], flush=True)
    return status == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build-fuzz")
    parser.add_argument("--only", default=",".join(SEEDS))
    args = parser.parse_args()
    seconds = int(os.environ.get("FUZZ_SECONDS", "1800"))
    build = (ROOT / args.build).resolve()
    results = [fuzz(build, name, seconds) for name in args.only.split(",")]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
