#!/usr/bin/env python3
"""Runs the test runners of the house and sums them up in one closing line.

    tests/run.py --build build [--only unit,lit,python,python-new] [-v]

unit        GoogleTest programs in BUILD/tests
lit         *.mlir beside what they test
python      pytest over tests/, in this interpreter
python-new  the JAX scenarios again under the newest JAX (.venv-new), if that is there
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.notes = []

    def add(self, passed, failed, skipped):
        self.passed += passed
        self.failed += failed
        self.skipped += skipped


def count_junit(path):
    """(passed, failed, skipped) of a JUnit file; None where there is none."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return None
    passed = failed = skipped = 0
    for case in root.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun" or case.get("result") == "skipped":
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def run(command, log, timeout, env=None):
    """The exit status; output goes to `log`."""
    with open(log, "wb") as out:
        try:
            return subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, cwd=ROOT, timeout=timeout, env=env).returncode
        except subprocess.TimeoutExpired:
            out.write(f"\ntimed out after {timeout} s\n".encode())
            return 124


def report(name, counts, status, log, seconds, tally, verbose):
    if counts is None:
        counts = (0, 1, 0)
    passed, failed, skipped = counts
    if status != 0 and failed == 0:
        failed = 1  # it crashed, or found nothing to run
    tally.add(passed, failed, skipped)
    print(f"{'FAIL' if failed else 'ok':4} {name}: {passed} passed, {failed} failed, {skipped} skipped ({seconds:.1f} s)", flush=True)
    if failed or verbose:
        text = pathlib.Path(log).read_text(errors="replace")
        print(text[-20000:], flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", default="unit,lit,python,python-new")
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args()
    build = (ROOT / args.build).resolve()
    wanted = args.only.split(",")
    env = dict(os.environ)
    env.setdefault("TREADLE_SHARED", str(ROOT.parent / "shared"))
    env["TREADLE_BUILD"] = str(build)
    # LLVM's archives are not instrumented: what its headers poison here, the archives do not know of.
    env.setdefault("ASAN_OPTIONS", "allow_user_poisoning=0:detect_container_overflow=0")
    tally = Tally()

    with tempfile.TemporaryDirectory(prefix="treadle-tests-", ignore_cleanup_errors=True) as scratch:
        # Nothing of what earlier runs left, nothing left for the user's programs.
        env["TREADLE_CACHE_DIR"] = os.path.join(scratch, "cache")
        def one(name, command, junit, timeout):
            log = os.path.join(scratch, re.sub(r"\W", "_", name) + ".log")
            start = time.time()
            status = run(command, log, timeout, env)
            report(name, count_junit(junit), status, log, time.time() - start, tally, args.verbose)

        if "unit" in wanted:
            for program in sorted((build / "tests").glob("treadle_*")):
                junit = os.path.join(scratch, program.name + ".xml")
                one("unit " + program.name, [str(program), f"--gtest_output=xml:{junit}"], junit, 900)
        if "lit" in wanted and (ROOT / "tests/lit.cfg.py").exists():
            junit = os.path.join(scratch, "lit.xml")
            lit = pathlib.Path(sys.executable).parent / "lit"
            rooms = [str(ROOT / room) for room in ("stablehlo", "compiler", "tools", "tests/lit") if (ROOT / room).exists()]
            one("lit", [str(lit), "-v", "-j2", "--config-prefix=lit", f"--xunit-xml-output={junit}",
                        f"-Dbuild={build}", str(ROOT / "tests")], junit, 1200)
        for kind, python in (("python", sys.executable), ("python-new", str(ROOT / ".venv-new/bin/python"))):
            if kind not in wanted:
                continue
            if not os.path.exists(python):
                print(f"skip {kind}: no newer Python (set TREADLE_PYTHON_NEW)", flush=True)
                tally.add(0, 0, 1)
                continue
            junit = os.path.join(scratch, kind + ".xml")
            folder = "tests" if kind == "python" else "tests/jax"
            one(kind, [python, "-m", "pytest", "-q", "-x" if os.environ.get("TREADLE_FAIL_FAST") else "-q", "-rs", "-p", "no:cacheprovider",
                       f"--junitxml={junit}", str(ROOT / folder)], junit, 1800)

    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped", flush=True)
    return 1 if tally.failed or tally.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
