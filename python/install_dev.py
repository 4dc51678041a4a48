#!/usr/bin/env python3
"""Installs the package into a virtual environment by links, so that edits and new builds count at once.

    python3 install_dev.py VENV_PYTHON PLUGIN.so

Does nothing where everything is in place. `pip uninstall jax-treadle` removes it.
"""
import os
import pathlib
import subprocess
import sys

import build_wheel


def link(target, source):
    """Makes `target` a link to `source`; true if it was not."""
    if target.is_symlink() and os.readlink(target) == str(source):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    target.symlink_to(source)
    return True


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    python, plugin = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    site = pathlib.Path(subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True).strip())
    names = {path: build_wheel.HERE / path for path in build_wheel.package_files()}
    names[pathlib.Path("jax_plugins/treadle") / build_wheel.LIBRARY] = plugin
    changed = [name for name, source in names.items() if link(site / name, source)]
    info = site / f"{build_wheel.stem()}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    files = build_wheel.metadata_files() | {"INSTALLER": "treadle\n"}
    record = [f"{name},," for name in names] + [f"{info.name}/{name},," for name in [*files, "RECORD"]]
    for name, text in (files | {"RECORD": "\n".join(record) + "\n"}).items():
        if not (info / name).exists() or (info / name).read_text() != text:
            (info / name).write_text(text)
            changed.append(name)
    if changed:
        print(f"installed jax-treadle into {site}")


if __name__ == "__main__":
    main()
