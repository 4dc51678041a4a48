"""The conformance programs of TREADLE_SHARED: all pass on the reference interpreter, and compiled all but those of corpus_not_yet.txt.

`make test-corpus` tells more. Without the corpus the tests are skipped.
"""

import os
import pathlib

import corpus
import pytest

TREADLE = str(pathlib.Path(os.environ.get("TREADLE_BUILD", corpus.ROOT / "build")) / "bin" / "treadle")
NOT_YET = {
    line.split("#")[0].strip()
    for line in (pathlib.Path(__file__).parent / "corpus_not_yet.txt").read_text().splitlines()
    if line.split("#")[0].strip()
}

pytestmark = pytest.mark.skipif(not corpus.CORPUS.exists(), reason=f"no corpus at {corpus.CORPUS}")


@pytest.mark.parametrize("engine", corpus.ENGINES)
def test_programs_pass(engine):
    failures = {
        f"{folder}/{name}": "\n".join(lines)
        for folder, files in corpus.run(TREADLE, engine).items()
        for name, lines in files.items()
        if lines
    }
    if engine == "compiled":
        for name in sorted(NOT_YET - failures.keys()):
            print(f"passes now, so it can leave corpus_not_yet.txt: {name}")
        failures = {name: text for name, text in failures.items() if name not in NOT_YET}
    assert not failures, "\n".join(failures.values())
