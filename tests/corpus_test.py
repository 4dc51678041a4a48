"""The conformance programs of TREADLE_SHARED pass, compiled and on the reference interpreter.

`make test-corpus` tells more. Without the corpus the tests are skipped.
"""

import os
import pathlib

import corpus
import pytest

TREADLE = str(pathlib.Path(os.environ.get("TREADLE_BUILD", corpus.ROOT / "build")) / "bin" / "treadle")

pytestmark = pytest.mark.skipif(not corpus.CORPUS.exists(), reason=f"no corpus at {corpus.CORPUS}")


@pytest.mark.parametrize("engine", corpus.ENGINES)
def test_programs_pass(engine):
    failures = [
        "\n".join(lines) for files in corpus.run(TREADLE, engine).values() for lines in files.values() if lines
    ]
    assert not failures, "\n".join(failures)
