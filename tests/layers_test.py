"""Every #include obeys LAYERS: rooms include only the rooms that their line names, and LLVM only where it says so."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM_HEADER = re.compile(r"^(llvm|llvm-c|mlir|mlir-c)/")


def read_layers():
    """room -> (rooms it may include, {'mlir', 'llvm'} that it may see)"""
    layers = {}
    for line in (ROOT / "LAYERS").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        head, *sight = line.split("|")
        room, _, rooms = head.partition(":")
        layers[room.strip()] = (set(rooms.split()), {word.strip() for word in sight})
    return layers


def room_of(path, layers):
    """The innermost room that holds `path` (relative to the root), or None."""
    for parent in pathlib.PurePosixPath(path).parents:
        if str(parent) in layers:
            return str(parent)
    return None


def problems():
    layers = read_layers()
    found = []
    for source in sorted(p for suffix in ("*.h", "*.cc") for p in ROOT.rglob(suffix)):
        relative = source.relative_to(ROOT).as_posix()
        room = room_of(relative, layers)
        if room is None or relative.startswith("build"):
            continue
        allowed, sight = layers[room]
        for number, line in enumerate(source.read_text(errors="replace").splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            if not match:
                continue
            header = match.group(1)
            other = room_of(header, layers)
            if other and other != room and other not in allowed:
                found.append(f"{relative}:{number}: {room} may not include {other} ({header}); see LAYERS")
            if LLVM_HEADER.match(header):
                kind = "mlir" if header.startswith("mlir") else "llvm"
                if kind not in sight and not (kind == "llvm" and "mlir" in sight):
                    found.append(f"{relative}:{number}: {room} may not see {kind} ({header}); see LAYERS")
    return found


def test_layers():
    assert problems() == []


def test_layers_have_no_cycles():
    layers = read_layers()
    done = set()
    while len(done) < len(layers):
        ready = {room for room, (rooms, _) in layers.items() if room not in done and rooms <= done}
        assert ready, f"rooms include each other: {sorted(set(layers) - done)}"
        done |= ready


if __name__ == "__main__":
    found = problems()
    print("\n".join(found) if found else "LAYERS holds")
    sys.exit(1 if found else 0)
