"""Writes the artifacts of this folder from their texts, with the StableHLO that jaxlib holds: make.py (needs jax)."""

import pathlib

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

FOLDER = pathlib.Path(__file__).parent
for name, versions in {"core": ["0.9.0", "0.12.0", "0.14.0", "1.0.0", "1.16.0"], "sharded": ["1.13.0"]}.items():
    with mlir.make_ir_context(), ir.Location.unknown():
        text = (FOLDER / f"{name}.mlir").read_text()
        for version in versions:
            artifact = stablehlo.serialize_portable_artifact(ir.Module.parse(text), version, name == "sharded")
            (FOLDER / f"{name}_{version.replace('.', '_')}.mlirbc").write_bytes(artifact)
