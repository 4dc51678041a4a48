"""The tests that docs/known_cases.md names are there."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent


def test_every_test_is_there():
    sources = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("*/*_test.cc"), *ROOT.glob("*/*/*_test.cc")]
    known = " ".join(source.stem + " " + " ".join(re.findall(r"def \w+|TEST\w*\(.*\)", source.read_text())) for source in sources)
    rows = [line.split("|") for line in (ROOT / "docs/known_cases.md").read_text().splitlines() if re.match(r"\| [A-F]\d+ \|", line)]
    assert len(rows) >= 52
    for _, case, _, tests, _ in rows:
        for name in re.findall(r"[a-z0-9]+(?:_[a-z0-9]+)+|[A-Z]\w+[a-z][A-Z]\w+", re.sub(r"\(.*?\)|`[\w/]*/", "", tests)):
            assert name in known, (case, name)
