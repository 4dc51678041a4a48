"""Programs that carry their inputs and the right answers: convolutions and pooling gradients lowered from JAX."""
import os
import pathlib
import re

import jax
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = pathlib.Path(os.environ.get("TREADLE_SHARED", ROOT.parent / "shared")) / "corpus" / "stablehlo" / "testdata"
FILES = sorted(f for pattern in ("conv_general_dilated_*", "select_and_*") for f in FOLDER.glob(pattern + ".mlir"))


@pytest.mark.skipif(not FILES, reason=f"no programs at {FOLDER}")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_answer(path):
    from jax._src.lib import xla_client
    from jaxlib import _jax

    text = path.read_text()
    # The check becomes two results.
    check = re.search(r"stablehlo.custom_call @check\.\w+\((%[\w#]+), (%[\w#]+)\).*: \((tensor<[^>]*>), (tensor<[^>]*>)\) -> \(\)\n\s*return [^\n]*", text)
    got, want, got_type, want_type = check.groups()
    text = text.replace(check.group(0), f"return {got}, {want} : {got_type}, {want_type}")
    text = re.sub(r"(func.func public @main\(\) -> )\([^\n]*\) \{", rf"\1({got_type}, {want_type}) {{", text, count=1)
    device = jax.devices("treadle")[0]
    with jax.enable_x64(True):
        program = device.client.compile_and_load(text, _jax.DeviceList((device,)), xla_client.CompileOptions())
        ours, answer = (np.asarray(r) for r in program.execute([]))
    if ours.dtype.kind in "biu":
        np.testing.assert_array_equal(ours, answer)
    else:
        tolerance = {"float64": 1e-12, "float32": 1e-5}.get(ours.dtype.name, 2e-2)
        np.testing.assert_allclose(ours.astype(np.float64), answer.astype(np.float64), rtol=tolerance, atol=tolerance * 10)
