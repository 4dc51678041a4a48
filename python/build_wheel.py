#!/usr/bin/env python3
"""Builds the wheel: a PEP 517 backend of its own, because there is nothing to build but a zip file around the plugin.

    python3 build_wheel.py [--plugin PLUGIN.so] [--out DIR]

As a backend (pip wheel, pip install) it takes the library from TREADLE_PLUGIN_LIBRARY, else from ../build/lib.
Needs Python 3.11.
"""
import argparse
import base64
import hashlib
import os
import pathlib
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = "pjrt_c_api_treadle_plugin.so"
# The library is built on Debian 12 and needs its glibc, and nothing of Python's ABI.
TAG = "py3-none-manylinux_2_36_x86_64"


def project():
    return tomllib.loads((HERE / "pyproject.toml").read_text())["project"]


def metadata_files():
    """{name: text} of the .dist-info folder, without RECORD."""
    p = project()
    lines = ["Metadata-Version: 2.1", f"Name: {p['name']}", f"Version: {p['version']}", f"Summary: {p['description']}",
             f"License: {p['license']}", f"Requires-Python: {p['requires-python']}"]
    lines += [f"Requires-Dist: {d}" for d in p["dependencies"]]
    points = []
    for group, entries in p["entry-points"].items():
        points += [f"[{group}]"] + [f"{k} = {v}" for k, v in entries.items()]
    return {
        "METADATA": "\n".join(lines) + "\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: treadle\nRoot-Is-Purelib: false\nTag: {TAG}\n",
        "entry_points.txt": "\n".join(points) + "\n",
    }


def stem():
    """jax_treadle-0.1.0, with which the wheel's and its .dist-info's names start."""
    p = project()
    return f"{p['name'].replace('-', '_')}-{p['version']}"


def package_files():
    """Paths of the package's sources, relative to this folder."""
    return sorted(path.relative_to(HERE) for path in (HERE / "jax_plugins").rglob("*.py"))


class Wheel:
    """A zip file that keeps its own record. All files have one date, so that equal contents make equal wheels."""

    def __init__(self, path):
        self.zip, self.records = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), []

    def add(self, name, data):
        info = zipfile.ZipInfo(str(name), (2020, 1, 1, 0, 0, 0))
        info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(data)}")

    def close(self, record):
        self.zip.writestr(zipfile.ZipInfo(record, (2020, 1, 1, 0, 0, 0)), "\n".join(self.records + [f"{record},,", ""]))
        self.zip.close()


def make_wheel(plugin, directory):
    """Writes the wheel into `directory` and returns its file name."""
    if not plugin.is_file():
        raise SystemExit(f"build the plugin first: there is no {plugin}")
    directory.mkdir(parents=True, exist_ok=True)
    name = f"{stem()}-{TAG}.whl"
    wheel = Wheel(directory / name)
    for path in package_files():
        wheel.add(path, (HERE / path).read_bytes())
    wheel.add(f"jax_plugins/treadle/{LIBRARY}", plugin.read_bytes())
    for file, text in metadata_files().items():
        wheel.add(f"{stem()}.dist-info/{file}", text.encode())
    wheel.close(f"{stem()}.dist-info/RECORD")
    return name


def default_plugin():
    return pathlib.Path(os.environ.get("TREADLE_PLUGIN_LIBRARY", HERE.parent / "build/lib" / LIBRARY))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517."""
    return make_wheel(default_plugin(), pathlib.Path(wheel_directory))


def main():
    parser = argparse.ArgumentParser(description="Builds the wheel jax-treadle.")
    parser.add_argument("--plugin", type=pathlib.Path, default=default_plugin())
    parser.add_argument("--out", type=pathlib.Path, default=HERE.parent / "dist")
    arguments = parser.parse_args()
    print(arguments.out / make_wheel(arguments.plugin, arguments.out))


if __name__ == "__main__":
    main()
