#!/usr/bin/env python3
"""Runs the test runners of the house and sums them up in one closing line.

    tests/run.py --build build [--only unit,lit,python,python-new] [--jobs N] [-v]

unit        GoogleTest programs in BUILD/tests
lit         *.mlir beside what they test
python      pytest over tests/, in this interpreter
python-new  the JAX scenarios again under the newest JAX (.venv-new), if that is there: every one, and of those for many
            shapes and types each sixth
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Programs that take half a minute and more: first, so that the last one does not run alone.
LONG = {f"treadle_{name}_test" for name in ("compiler_emit_schedules", "compiler_emit_emit_property", "kernels_conv", "kernels_linalg",
                                            "compiler_emit_bounds", "kernels_dot", "compiler_emit_op_emitter", "stablehlo_artifact")}


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.lock = threading.Lock()  # of what is printed, too

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
    with tally.lock:
        tally.add(passed, failed, skipped)
        print(f"{'FAIL' if failed else 'ok':4} {name}: {passed} passed, {failed} failed, {skipped} skipped ({seconds:.1f} s)", flush=True)
        if failed or verbose:
            text = pathlib.Path(log).read_text(errors="replace")
            print(text[-20000:], flush=True)


def python_runs(kind):
    """(name, arguments of pytest): runs that may go side by side."""
    if kind == "python-new":
        return [(kind, ["--every=6", str(ROOT / "tests/jax")])]
    scenarios = sorted(str(path) for path in (ROOT / "tests/jax").glob("test_*.py"))
    return [(f"{kind} tests/jax 1/2", scenarios[0::2]), (f"{kind} tests/jax 2/2", scenarios[1::2]),
            (f"{kind} tests", ["--ignore", str(ROOT / "tests/jax"), str(ROOT / "tests")])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--only", default="unit,lit,python,python-new")
    parser.add_argument("--jobs", type=int, default=min(4, len(os.sched_getaffinity(0))), help="runners at a time (%(default)s)")
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
        # The longest first.
        runners = []
        for kind, python in (("python", sys.executable), ("python-new", str(ROOT / ".venv-new/bin/python"))):
            if kind not in wanted:
                continue
            if not os.path.exists(python):
                print(f"skip {kind}: no newer Python (set TREADLE_PYTHON_NEW)", flush=True)
                tally.add(0, 0, 1)
                continue
            stop = ["-x"] if os.environ.get("TREADLE_FAIL_FAST") else []
            pytest = [python, "-m", "pytest", "-q", *stop, "-rs", "-p", "no:cacheprovider"]
            runners += [(name, [*pytest, *arguments], "--junitxml=", 1800) for name, arguments in python_runs(kind)]
        if "unit" in wanted:
            programs = sorted((build / "tests").glob("treadle_*"), key=lambda program: (program.name not in LONG, program.name))
            runners += [("unit " + program.name, [str(program)], "--gtest_output=xml:", 900) for program in programs]
        if "lit" in wanted and (ROOT / "tests/lit.cfg.py").exists():
            lit = pathlib.Path(sys.executable).parent / "lit"
            runners.append(("lit", [str(lit), "-v", "-j2", "--config-prefix=lit", f"-Dbuild={build}", str(ROOT / "tests")],
                            "--xunit-xml-output=", 1200))

        def one(name, command, junit_option, timeout):
            stem = os.path.join(scratch, re.sub(r"\W", "_", name))
            start = time.time()
            status = run([*command, junit_option + stem + ".xml"], stem + ".log", timeout, env)
            report(name, count_junit(stem + ".xml"), status, stem + ".log", time.time() - start, tally, args.verbose)

        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for result in [pool.submit(one, *runner) for runner in runners]:
                result.result()

    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped", flush=True)
    return 1 if tally.failed or tally.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
