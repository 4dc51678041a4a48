"""Portable artifacts that we write: jaxlib reads them as what it would have written itself, and refuses what we refuse.

The programs come from TREADLE_SHARED (default ../shared); without it, and without jaxlib, tests are skipped.
"""

import contextlib
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = pathlib.Path(os.environ.get("TREADLE_SHARED", ROOT.parent / "shared")) / "corpus"
OPT = pathlib.Path(os.environ.get("TREADLE_BUILD", ROOT / "build")) / "bin" / "treadle-opt"
JAX_PROGRAMS = sorted((CORPUS / "jax_programs").glob("*.mlirbc"))
ARTIFACTS = sorted((CORPUS / "stablehlo" / "vhlo").glob("stablehlo_*.mlir.bc"))
TESTDATA = sorted((CORPUS / "stablehlo" / "testdata").glob("*.mlir"))
NEWEST = (1, 20, 0)
# Versions that brought something to operations, attributes, types or the format.
VERSIONS = [(0, minor, 0) for minor in range(9, 21)] + [(1, minor, 0) for minor in range(0, 21)]

needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no programs at {CORPUS}")


class Jaxlib:
    """What jaxlib makes of programs and artifacts."""

    def __init__(self):
        mlir = pytest.importorskip("jax._src.interpreters.mlir")
        from jaxlib.mlir import ir
        from jaxlib.mlir.dialects import stablehlo

        self.ir, self.stablehlo, self.make_context = ir, stablehlo, mlir.make_ir_context
        self.newest = tuple(int(part) for part in stablehlo.get_current_version().split("."))

    @contextlib.contextmanager
    def context(self):
        with self.make_context() as context, self.ir.Location.unknown():
            yield context

    def load(self, context, data):
        if data.startswith(b"ML\xefR"):
            return self.stablehlo.deserialize_portable_artifact(context, data)
        return self.ir.Module.parse(data.decode())

    def text(self, data):
        with self.context() as context:
            return str(self.load(context, data))

    def write(self, data, version, mixed):
        """The artifact, None where jaxlib refuses."""
        with self.context() as context:
            module = self.load(context, data)
            try:
                return self.stablehlo.serialize_portable_artifact(module, dotted(version), mixed)
            except Exception:  # what it raises depends on the version of jaxlib
                return None


@pytest.fixture(scope="module")
def jaxlib():
    return Jaxlib()


def dotted(version):
    return ".".join(str(part) for part in version)


def version_of(path):
    match = re.match(rb"StableHLO_v(\d+)\.(\d+)\.(\d+)", path.read_bytes()[5:40])
    return tuple(int(part) for part in match.groups())


def write(data, version, mixed=False):
    """Our artifact of a program, None and the error where it is refused."""
    flags = ["--allow-other-dialects"] if mixed else []
    result = subprocess.run([OPT, "-", f"--artifact={dotted(version)}", *flags], input=data, capture_output=True, timeout=60)
    return (result.stdout, "") if result.returncode == 0 else (None, result.stderr.decode())


def text(data):
    result = subprocess.run([OPT, "-", "--generic"], input=data, capture_output=True, timeout=60)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout.decode()


def check(data, version, mixed, jaxlib):
    """Our artifact means the same as jaxlib's, to jaxlib and to us; where jaxlib is older, the same as before."""
    ours, error = write(data, version, mixed)
    assert ours is not None, error
    if version > jaxlib.newest:
        assert text(ours) == text(data)
        return
    theirs = jaxlib.write(data, version, mixed)
    assert theirs is not None
    assert jaxlib.text(ours) == jaxlib.text(theirs)
    assert text(ours) == text(theirs)


@needs_corpus
@pytest.mark.parametrize("path", JAX_PROGRAMS, ids=lambda path: path.name)
def test_programs_of_jax(path, jaxlib):
    check(path.read_bytes(), min(jaxlib.newest[:2] + (0,), NEWEST), True, jaxlib)


@needs_corpus
@pytest.mark.parametrize("path", ARTIFACTS, ids=lambda path: path.name)
def test_artifacts_for_their_own_version(path, jaxlib):
    data, version = path.read_bytes(), version_of(path)
    ours, error = write(data, version)
    assert ours is not None, error
    assert f"StableHLO_v{dotted(version)}".encode() in ours[:40]
    assert text(ours) == text(data)
    if version <= jaxlib.newest:
        assert jaxlib.text(ours) == jaxlib.text(data)


@needs_corpus
@pytest.mark.parametrize("path", [path for path in TESTDATA if "_chlo" not in path.name][::60], ids=lambda path: path.name[:60])
def test_texts_for_the_oldest_and_the_newest_version(path, jaxlib):
    data = path.read_bytes()
    for version in ((0, 14, 0), NEWEST):
        ours, error = write(data, version)
        assert ours is not None, error
        assert text(ours) == text(write(text(ours).encode(), version)[0])
        if jaxlib.write(data, version, False) is not None:
            check(data, version, False, jaxlib)


@needs_corpus
@pytest.mark.parametrize("version", [version for version in VERSIONS if version[1] % 3 == 0 or version[0] == 0], ids=dotted)
def test_one_program_for_every_version(version, jaxlib):
    oldest = next(path for path in ARTIFACTS if version_of(path) == (0, 9, 0))
    check(oldest.read_bytes(), version, False, jaxlib)


def functions(path, jaxlib):
    """Every function of a module that stands on its own, as a program of its own."""
    with jaxlib.context() as context:
        module = jaxlib.load(context, path.read_bytes())
        texts = [str(op) for op in module.body.operations]
    for function in texts:
        with jaxlib.context():
            try:
                yield str(jaxlib.ir.Module.parse(function))
            except jaxlib.ir.MLIRError:
                pass  # it calls another one


@needs_corpus
def test_refuses_what_jaxlib_refuses(jaxlib):
    """The version from which on a function can be written is the same; in the one before ours says what is missing."""
    versions = [version for version in VERSIONS if version <= jaxlib.newest]
    path = max((path for path in ARTIFACTS if version_of(path) <= jaxlib.newest), key=version_of)
    found = set()
    for function in functions(path, jaxlib):
        data = function.encode()
        if jaxlib.write(data, versions[0], False) is not None:
            continue  # the old version has all of it: said above
        first = next(i for i, version in enumerate(versions) if jaxlib.write(data, version, False) is not None)
        found.add(versions[first])
        ours, error = write(data, versions[first])
        assert ours is not None, error
        ours, error = write(data, versions[first - 1])
        assert ours is None, f"written for {versions[first - 1]}: {function}"
        assert f"needs StableHLO {dotted(versions[first])}; the target version is {dotted(versions[first - 1])}" in error
        assert re.search(r"<stdin>:\d+:\d+: error: '\w+\.\w+'|-:\d+:\d+: error: '\w+\.\w+'", error), error
    assert len(found) >= 8, found


def test_versions_out_of_range():
    program = b"func.func @main() { return }"
    for version in ((0, 8, 0), (1, 21, 0), (2, 0, 0)):
        ours, error = write(program, version)
        assert ours is None
        assert "versions 0.9.0 to 1.20" in error
    for version in ((1, 20, 0), (1, 20, 7), (0, 9, 3)):
        ours, error = write(program, version)
        assert ours is not None, error
        assert text(ours) == text(program)
