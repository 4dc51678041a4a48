"""Functions of complex numbers, as StableHLO operations: exact to a few units of the result's length, and right at the edges.

JAX's client splits most of them before a plugin sees them, so these programs come as text through `treadle run`.
"""

import subprocess

import numpy as np
import pytest

from run_text import TREADLE, run_text

# In 80-bit numbers, whose error is next to nothing here.
FUNCTIONS = {
    "abs": np.abs,
    "sign": lambda z: z / np.abs(z),
    "sqrt": np.sqrt,
    "rsqrt": lambda z: 1 / np.sqrt(z),
    "cbrt": lambda z: np.cbrt(np.abs(z)) * np.exp(1j * np.angle(z) / np.longdouble(3)),
    "exponential": np.exp,
    "exponential_minus_one": lambda z: np.expm1(z.real) * np.cos(z.imag) - 2 * np.sin(z.imag / 2) ** 2
    + 1j * (np.exp(z.real) * np.sin(z.imag)),
    "log": np.log,
    "log_plus_one": lambda z: np.where(
        np.abs(z) < 0.5, np.log1p(z.real * (2 + z.real) + z.imag**2) / 2 + 1j * np.arctan2(z.imag, 1 + z.real), np.log(1 + z)),
    "sine": np.sin,
    "cosine": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "logistic": lambda z: 1 / (1 + np.exp(-z)),
}
PAIRS = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}
DTYPES = [np.complex64, np.complex128]
# Of CHLO; each part by itself is exact to a few units in its last place, as are those of the last four.
BY_PARTS = {
    "chlo.acos": np.arccos,
    "chlo.acosh": np.arccosh,
    "chlo.asin": np.arcsin,
    "chlo.asinh": np.arcsinh,
    "chlo.atan": np.arctan,
    "chlo.atanh": np.arctanh,
    "chlo.square": lambda z: (z.real - z.imag) * (z.real + z.imag) + 2j * z.real * z.imag,
    "log": np.log,
    "sqrt": np.sqrt,
    "exponential": np.exp,
}


def apply(folder, operations, *arguments):
    """{operation: result} of `operation`, of StableHLO where it names no dialect, of arrays of one shape."""
    element = {np.dtype(np.complex64): "f32", np.dtype(np.complex128): "f64"}[arguments[0].dtype]
    size = len(arguments[0])
    types = {op: f"tensor<{size}x{element if op == 'abs' else f'complex<{element}>'}>" for op in operations}
    argument = f"tensor<{size}xcomplex<{element}>>"
    names = [f"%a{i}" for i in range(len(arguments))]
    lines = [f'%{op} = "{op if "." in op else "stablehlo." + op}"({", ".join(names)}) : ({", ".join([argument] * len(names))}) -> {types[op]}'
             for op in operations]
    text = (
        f"func.func @main({', '.join(f'{n}: {argument}' for n in names)}) -> ({', '.join(types.values())}) {{\n"
        + "\n".join(lines)
        + f"\nreturn {', '.join('%' + op for op in operations)} : {', '.join(types.values())}\n}}")
    return dict(zip(operations, run_text(folder, text, arguments, len(operations))))


def samples(rng, dtype, size):
    """About one, of any size that most functions stand, and near the unit circle and 1."""
    def normal():
        return rng.normal(size=size) + 1j * rng.normal(size=size)

    def scaled(low, high):
        return rng.normal(size=size) * 10.0 ** rng.uniform(low, high, size)

    circle = np.exp(1j * rng.uniform(-np.pi, np.pi, size)) * (1 + scaled(-6, -1))
    return {"normal": normal().astype(dtype), "mixed": (scaled(-4, 1.3) + 1j * scaled(-4, 1.3)).astype(dtype),
            "circle": circle.astype(dtype), "near one": (1 + normal() * 10.0 ** rng.uniform(-7, -1, size)).astype(dtype)}


def errors(got, want, dtype):
    """In units of the last place of the results' lengths, where those are normal numbers."""
    info = np.finfo(dtype)
    length = np.abs(want)
    normal = (length > 8 * info.tiny) & (length < info.max / 4)
    assert normal.mean() > 0.5
    return np.abs(got.astype(np.clongdouble) - want)[normal] / length[normal] / info.eps


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_are_exact(tmp_path, dtype):
    for kind, z in samples(np.random.default_rng(0), dtype, 1000).items():
        got = apply(tmp_path, list(FUNCTIONS), z)
        for name, function in FUNCTIONS.items():
            want = function(z.astype(np.clongdouble))
            assert errors(got[name], want, dtype).max() < 4, f"{name}, {kind}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_arithmetic_is_exact(tmp_path, dtype):
    rng = np.random.default_rng(1)
    for kind, z in samples(rng, dtype, 1000).items():
        w = rng.permutation(z)
        got = apply(tmp_path, list(PAIRS), z, w)
        for name, function in PAIRS.items():
            want = function(z.astype(np.clongdouble), w.astype(np.clongdouble))
            assert errors(got[name], want, dtype).max() < 4, f"{name}, {kind}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_parts_are_exact(tmp_path, dtype):
    """Parts of all sizes, next to branch points and on both sides of branch cuts."""
    rng = np.random.default_rng(5)
    part = np.finfo(dtype).dtype
    sizes = np.array([0, np.finfo(part).smallest_subnormal, np.finfo(part).tiny, 1e-20, 1e-4, 0.5, 1, 1.5, 30], part)
    parts = np.concatenate([sizes, -sizes, rng.normal(size=12).astype(part), 1 + 10.0 ** rng.uniform(-7, -1, 4).astype(part)])
    z = np.empty(len(parts) ** 2, dtype)
    z.real, z.imag = np.repeat(parts, len(parts)), np.tile(parts, len(parts))
    got = apply(tmp_path, list(BY_PARTS), z)
    for name, function in BY_PARTS.items():
        with np.errstate(all="ignore"):
            want = function(z.astype(np.clongdouble))
        for a, b in [(got[name].real, want.real), (got[name].imag, want.imag)]:
            known = np.isfinite(b)
            unit = np.spacing(np.abs(b[known]).astype(part)).astype(np.longdouble)
            error = np.abs(a[known] - b[known]) / unit
            worst = np.argmax(error)
            assert error[worst] <= 4, (name, z[known][worst], a[known][worst], b[known][worst])


def test_powers(tmp_path):
    rng = np.random.default_rng(2)
    for dtype in DTYPES:
        z = (rng.normal(size=500) + 1j * rng.normal(size=500)).astype(dtype)
        w = (rng.normal(size=500) + 1j * rng.normal(size=500)).astype(dtype)
        wide = w.astype(np.clongdouble) * np.log(z.astype(np.clongdouble))
        got = apply(tmp_path, ["power"], z, w)["power"]
        assert np.all(errors(got, np.exp(wide), dtype) < 4 + 2 * np.abs(wide))  # as said in complex_math.h
        zero = np.array([0, 0, 0, 1, 2], dtype)
        got = apply(tmp_path, ["power"], zero, np.array([0, 1, 2j + 1, 0, 3], dtype))["power"]
        np.testing.assert_allclose(got, [1, 0, 0, 1, 8], rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_nothing_overflows_on_the_way(tmp_path, dtype):
    """Lengths from the least to the largest normal number."""
    info, rng = np.finfo(dtype), np.random.default_rng(3)
    exponents = rng.integers(np.log2(info.tiny) + 2, np.log2(info.max) - 2, 1000)
    part = lambda: np.ldexp(rng.uniform(1, 2, 1000) * rng.choice([-1, 1], 1000), exponents)
    z = (part() + 1j * part()).astype(dtype)
    names = ["abs", "sign", "sqrt", "rsqrt", "cbrt", "log", "log_plus_one"]
    with np.errstate(all="ignore"):
        for name, got in apply(tmp_path, names, z).items():
            assert errors(got, FUNCTIONS[name](z.astype(np.clongdouble)), dtype).max() < 4, name
        # Quotients that are in range, of numbers whose squares are not.
        w = np.ldexp(rng.uniform(1, 2, 1000), exponents // 2) + 1j * np.ldexp(rng.uniform(1, 2, 1000), exponents // 2)
        w = w.astype(dtype)
        want = z.astype(np.clongdouble) / w.astype(np.clongdouble)
        assert errors(apply(tmp_path, ["divide"], z, w)["divide"], want, dtype).max() < 4
        # e^a overflows, e^a cos b does not.
        high = np.log(np.longdouble(info.max))
        a = (float(high) + rng.uniform(-1, 2, 1000) + 1j * rng.choice([-1, 1], 1000) * (np.pi / 2 - 10.0 ** rng.uniform(-2, -1, 1000)))
        a = a.astype(dtype)
        got = apply(tmp_path, ["exponential", "sine", "cosine", "exponential_minus_one"], a)
        wide = a.astype(np.clongdouble)
        for name in ["exponential", "exponential_minus_one"]:
            want = np.exp(wide)
            fits = np.abs(want.real) < info.max
            np.testing.assert_allclose(got[name].real[fits].astype(np.longdouble), want.real[fits], rtol=2000 * info.eps)
            assert np.all(np.isinf(got[name].real[np.abs(want.real) > 1.01 * np.longdouble(info.max)]))
        turned = (a.imag + 1j * a.real).astype(dtype)
        want = np.cos(turned.astype(np.clongdouble))
        got = apply(tmp_path, ["cosine"], turned)["cosine"]
        fits = np.abs(want.real) < info.max
        np.testing.assert_allclose(got.real[fits].astype(np.longdouble), want.real[fits], rtol=2000 * info.eps)


INF, NAN = np.inf, np.nan
# Arguments and results; a NaN stands for any result of which a part is not a number.
EDGES = {
    "abs": [((INF, NAN), INF), ((NAN, -INF), INF), ((NAN, 1), NAN), ((-0.0, -0.0), 0), ((-INF, INF), INF)],
    "sign": [((-0.0, 0.0), (-0.0, 0.0)), ((0.0, -0.0), (0.0, -0.0)), ((NAN, 1), NAN), ((INF, 1), NAN)],
    "sqrt": [((0, -0.0), (0, -0.0)), ((-4, 0.0), (0, 2)), ((-4, -0.0), (0, -2)), ((1, INF), (INF, INF)),
             ((NAN, -INF), (INF, -INF)), ((-INF, 1), (0, INF)), ((-INF, -1), (0, -INF)), ((INF, -1), (INF, -0.0)),
             ((NAN, 1), NAN)],
    "rsqrt": [((INF, 1), (0, -0.0)), ((4, -0.0), (0.5, 0.0)), ((-INF, 1), (0, -0.0)), ((0, 0), NAN), ((1, NAN), NAN)],
    "exponential": [((0, -0.0), (1, -0.0)), ((-INF, NAN), NAN), ((INF, 0.0), (INF, 0.0)), ((-INF, 1), (0, 0)),
                    ((INF, 1), (INF, INF)), ((INF, 3), (-INF, INF)), ((NAN, 0.0), (NAN, 0.0)), ((1, INF), NAN)],
    "exponential_minus_one": [((0, -0.0), (0, -0.0)), ((-INF, 1), (-1, 0)), ((INF, 0.0), (INF, 0.0)), ((NAN, 1), NAN)],
    "log": [((0.0, 0.0), (-INF, 0.0)), ((1, 0.0), (0, 0.0)), ((INF, INF), (INF, np.pi / 4)), ((-INF, 1), (INF, np.pi)),
            ((-1, -0.0), (0, -np.pi)), ((1, INF), (INF, np.pi / 2)), ((NAN, 1), NAN)],
    "log_plus_one": [((0.0, -0.0), (0.0, -0.0)), ((-1, 0.0), (-INF, 0.0)), ((INF, 1), (INF, 0)), ((NAN, 1), NAN)],
    "sine": [((0.0, INF), (0.0, INF)), ((-0.0, 1), (-0.0, np.sinh(1))), ((1, INF), (INF, INF)), ((NAN, 1), NAN)],
    "cosine": [((0.0, INF), (INF, -0.0)), ((0.0, 0.0), (1, -0.0)), ((1, INF), (INF, -INF)), ((1, NAN), NAN)],
    "tan": [((-0.0, 0.0), (-0.0, 0.0)), ((1, INF), (0, 1)), ((NAN, -INF), (0, -1)), ((1, -1000), (0, -1)),
            ((NAN, 1), NAN)],
    "tanh": [((-0.0, 0.0), (-0.0, 0.0)), ((INF, 1), (1, 0)), ((-INF, NAN), (-1, 0)), ((1000, 1), (1, 0)),
             ((-1000, 1), (-1, 0)), ((1, INF), NAN)],
    "logistic": [((0, 0), (0.5, 0)), ((INF, 1), (1, 0)), ((-INF, 1), (0, 0)), ((1000, 1), (1, 0)), ((-80, 0.0), (np.exp(-80.0), 0))],
    "cbrt": [((0, 0), (0, 0)), ((8, 0.0), (2, 0.0)), ((-8, 0.0), (1, np.sqrt(3))), ((INF, 0.0), (INF, 0.0))],
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EDGES)
def test_edges(tmp_path, dtype, name):
    arguments = np.array([complex(*argument) for argument, _ in EDGES[name]]).astype(dtype)
    got = apply(tmp_path, [name], arguments)[name]
    for argument, result, (_, want) in zip(arguments, got, EDGES[name]):
        if np.isscalar(want) and np.isnan(want):
            assert np.isnan(result), argument
            continue
        for a, b in zip([result.real, result.imag], np.broadcast_to(want, 2) if not np.isscalar(want) else [want, 0]):
            if np.isnan(b):
                assert np.isnan(a), argument
                continue
            np.testing.assert_allclose(a, b, rtol=4 * np.finfo(dtype).eps, atol=1e-6 * np.finfo(dtype).eps, err_msg=str(argument))
            if b == 0 and np.signbit(b):
                assert np.signbit(a), (argument, result)


def test_vectors_and_their_ends_agree(tmp_path):
    """The same bits, whatever the size."""
    rng = np.random.default_rng(4)
    z = (rng.normal(size=67) + 1j * rng.normal(size=67)).astype(np.complex64)
    names = ["exponential", "sqrt", "tanh", "log"]
    whole = apply(tmp_path, names, z)
    for size in [1, 3, 8, 16, 17, 33]:
        for name, got in apply(tmp_path, names, z[:size]).items():
            np.testing.assert_array_equal(got.view(np.uint32), whole[name][:size].view(np.uint32))


def test_what_is_not_there_is_named(tmp_path):
    path = tmp_path / "program.mlir"
    path.write_text("""func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.custom_call @nothing_known(%a) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}""")
    result = subprocess.run([TREADLE, "run", path, "--input", "zeros"], capture_output=True, text=True, timeout=60)
    assert result.returncode == 1
    for words in ["not implemented yet", "stablehlo.custom_call (tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>)", "@nothing_known", "program.mlir:2"]:
        assert words in result.stderr, result.stderr
