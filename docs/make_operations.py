#!/usr/bin/env python3
"""Writes docs/operations.md: each operation of StableHLO and CHLO, and what the sources have for it.

    docs/make_operations.py [--check]

Read from the sources: operand types and verifiers from the dialects' definitions (with llvm-tblgen), the interpreter's and
the compiler's part from the files that name the operation. Conformance programs are counted where TREADLE_SHARED (default:
../shared) has them. `--check` changes nothing and fails where the table is out of date.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs/operations.md"
LLVM = pathlib.Path("/usr/lib/llvm-22")
DEFINITIONS = {
    "stablehlo": [f"stablehlo/dialect/{name}.td" for name in (
        "elementwise", "data_movement", "contraction", "reduction", "control_flow", "collective", "dynamism", "legacy")],
    "chlo": ["stablehlo/chlo/ops.td", "stablehlo/chlo/broadcasting.td"],
}
HEAD = """# Operations

Written by `docs/make_operations.py` from the sources; do not edit.

*Elements*: of the operands. *Verifier*: the file, or the traits alone. *Shape*: of the result: `operands`, as they are;
`computed`, from operands and attributes, and compared with what is written; `written`, as the program says. *Compiled*: `graph`,
an operation of the graph; else the file that turns it into others. *Programs*: conformance programs that use it.
"""


def read(path):
    return (ROOT / path).read_text()


def records(td):
    """Operation records of a .td file, in its order."""
    program = shutil.which("llvm-tblgen-22") or str(LLVM / "bin/llvm-tblgen")
    out = subprocess.run([program, "--dump-json", "-I", str(LLVM / "include"), "-I", str(ROOT), str(ROOT / td)],
                         capture_output=True, text=True, check=True).stdout
    every = json.loads(out)
    here = pathlib.Path(td).name
    found = [r for name in every["!instanceof"].get("Op", []) if (r := every[name])["!locs"][0].startswith(here + ":")]
    return every, sorted(found, key=lambda r: int(r["!locs"][0].split(":")[1]))


def elements(every, op):
    """What the operands' elements may be, once each."""
    kinds = []
    for constraint, _ in op["arguments"]["args"]:
        record = every.get(constraint.get("def"), {})
        if "TypeConstraint" not in record.get("!superclasses", []):
            continue
        record = every.get((record.get("baseType") or {}).get("def"), record)
        kind = re.sub(r"^(variadic of |optional )?(ranked |unranked |\d-?D? )*tensors? of | values$", "", record.get("summary", ""))
        kind = {"ranked tensor": "any"}.get(kind, kind)
        if kind.startswith("ranked tensor or token"):
            kind = "any, tokens, tuples"
        if kind and kind not in kinds:
            kinds.append(kind)
    return "; ".join(kinds) or "-"


def functions(text, cls):
    """The bodies of CLS::verify and CLS::verifySymbolUses, together."""
    bodies = re.findall(rf"\b{cls}::verify(?:SymbolUses)?\(.*?\n}}|\b{cls}::verify(?:SymbolUses)?\([^\n]*}}\n", text, re.S)
    return "\n".join(bodies)


class Sources:
    def __init__(self):
        self.dialect = {p: p.read_text() for p in sorted((ROOT / "stablehlo").glob("*/*.cc")) if p.parent.name in ("dialect", "chlo")}
        self.interpreter = {p: p.read_text() for p in sorted((ROOT / "stablehlo/interpreter").glob("*.cc"))}
        self.importers = {p: p.read_text() for p in sorted((ROOT / "compiler/optimize").glob("*.cc")) if not p.stem.endswith("_test")}
        self.expanders = {p: p.read_text() for name in ("settle_operation", "expand_async", "expand_legacy", "expand_chlo", "expand_quantized")
                          for p in [ROOT / f"stablehlo/{name}.cc"]}
        self.graph = set(re.findall(r'GRAPH_OP\(\w+, "(\w+)"', read("compiler/graph/op_codes.def")))


def verifier(sources, dialect, op, cls):
    folder = "chlo" if dialect == "chlo" else "dialect"
    for path, text in sources.dialect.items():
        if path.parent.name == folder and (body := functions(text, cls)):
            return f"`{path.name}`", body
    traits = {t["def"] for t in op["traits"]}
    return ("traits" if traits & {"ElementwiseShape", "SameElementType"} else "-"), ""


def shape(op, body):
    if any(t["def"] == "ElementwiseShape" for t in op["traits"]):
        return "operands"
    return "computed" if re.search(r'CheckShape\(|CheckSameShapes\(|CheckConvolution\(|CheckTypes\(|WindowPlaces\(|CheckRealPart|Result', body) else "written"


def interpreted(sources, dialect, cls):
    for path, text in sources.interpreter.items():
        if re.search(rf"\b{dialect}::{cls}\b", text):
            return f"`{path.name}`"
    return "-"


def compiled(sources, dialect, name, cls):
    if name in sources.graph and (dialect == "stablehlo" or name in ("erf", "erfc")):
        return "graph"
    for path, text in sources.importers.items():
        if f'"{dialect}.{name}"' in text or re.search(rf"(isa|cast)<[^;]*\b{dialect}::{cls}\b", text):
            return f"`{path.name}`"
    if dialect == "chlo" and name.startswith("broadcast_"):
        return "`broadcasting.cc`"
    for path, text in sources.expanders.items():
        if f'"{dialect}.{name}"' in text or re.search(rf"((isa|cast)<[^>;]*|\()(?<!::)(?<!\w)({dialect}::)?{cls}\b", text):
            return f"`{path.name}`"
    return "-"


def programs():
    """How many conformance programs use each operation; nothing where they are not at hand."""
    shared = pathlib.Path(os.environ.get("TREADLE_SHARED", ROOT.parent / "shared")) / "corpus/stablehlo"
    counts = {}
    for path in shared.rglob("*.mlir"):
        for name in set(re.findall(r'\b(?:stablehlo|chlo)\.\w+', path.read_text(errors="replace"))):
            counts[name] = counts.get(name, 0) + 1
    return counts


def table():
    sources, counts = Sources(), programs()
    lines = [HEAD]
    for dialect, files in DEFINITIONS.items():
        for td in files:
            every, ops = records(td)
            if not ops:
                continue
            lines += [f"## {dialect}: {pathlib.Path(td).stem}\n",
                      "| operation | elements | verifier | shape | interpreter | compiled | programs |", "|---|---|---|---|---|---|---|"]
            for op in ops:
                name, cls = op["opName"], op["!name"]
                where, body = verifier(sources, dialect, op, cls)
                lines.append("| " + " | ".join([
                    f"`{name}`", elements(every, op), where, shape(op, body), interpreted(sources, dialect, cls),
                    compiled(sources, dialect, name, cls), str(counts.get(f"{dialect}.{name}", 0)) if counts else "?"]) + " |")
            lines.append("")
    return "\n".join(lines)


def without_counts(text, new):
    """`text`, without the last column where `new` has none."""
    return re.sub(r"\| [\d?]+ \|$", "|", text, flags=re.M) if "| ? |" in new else text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    text = table()
    if not args.check:
        TABLE.write_text(text)
    elif without_counts(TABLE.read_text() if TABLE.exists() else "", text) != without_counts(text, text):
        sys.exit("docs/operations.md is out of date: run docs/make_operations.py")


if __name__ == "__main__":
    main()
