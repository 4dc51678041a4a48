"""Portable artifacts: what jaxlib and StableHLO wrote loads, verifies, and means to us what it means to jaxlib.

The programs come from TREADLE_SHARED (default ../shared); without it, and without jaxlib, tests are skipped.
"""

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
UNKNOWN = CORPUS / "stablehlo" / "vhlo" / "invalid_vhlo_future.mlir.bc"

needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no programs at {CORPUS}")


def read(path, *flags):
    """Our text of an artifact."""
    return subprocess.run([OPT, *flags, path], capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def jaxlib():
    mlir = pytest.importorskip("jax._src.interpreters.mlir")
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    return mlir.make_ir_context, ir, stablehlo


def version_of(path):
    match = re.match(rb"StableHLO_v(\d+)\.(\d+)\.(\d+)", path.read_bytes()[5:40])
    return tuple(int(part) for part in match.groups())


@needs_corpus
@pytest.mark.parametrize("path", JAX_PROGRAMS + ARTIFACTS, ids=lambda path: path.name)
def test_means_the_same_to_jaxlib(path, jaxlib):
    texts = [read(path), read(path, "--generic")]
    for text in texts:
        assert text.returncode == 0, text.stderr
    make_context, ir, stablehlo = jaxlib
    newest = tuple(int(part) for part in stablehlo.get_current_version().split("."))
    if version_of(path) > newest:
        pytest.skip(f"jaxlib reads artifacts up to {newest}; ours loads and verifies")
    with make_context() as context:
        expected = str(stablehlo.deserialize_portable_artifact(context, path.read_bytes()))
        for text in texts:
            assert str(ir.Module.parse(text.stdout)) == expected


@needs_corpus
def test_refuses_what_it_does_not_know():
    ours = read(UNKNOWN)
    assert ours.returncode != 0
    assert "2.0.0" in ours.stderr or "constant_v99" in ours.stderr, ours.stderr


@needs_corpus
def test_the_corpus_is_there():
    assert len(JAX_PROGRAMS) >= 60
    assert len(ARTIFACTS) == 17
