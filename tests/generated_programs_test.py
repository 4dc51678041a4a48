"""Programs that hypothesis makes, with types, shapes and attributes at their edges: compiled, on the reference interpreter, and on
jaxlib's CPU backend, all three the same.

Arguments and results travel as unsigned integers, so that every bit counts. Each test tries the same 15 programs every time;
with `HYPOTHESIS_EXAMPLES=n`, n others.
"""
import functools
import math
import os
import pathlib
import tempfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

jax = pytest.importorskip("jax")
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402

from run_text import run_text  # noqa: E402

SIGNED, UNSIGNED = ["i8", "i16", "i32", "i64"], ["ui8", "ui16", "ui32", "ui64"]
INTEGERS, FLOATS = SIGNED + UNSIGNED, ["bf16", "f16", "f32", "f64"]
NUMBERS = INTEGERS + FLOATS
MANTISSA = {"bf16": 7, "f16": 10, "f32": 23, "f64": 52}
EXAMPLES = os.environ.get("HYPOTHESIS_EXAMPLES")
FEW = settings(max_examples=int(EXAMPLES or 15), derandomize=EXAMPLES is None, deadline=None, database=None,
               suppress_health_check=list(HealthCheck))


def bits(kind):
    return 16 if kind == "bf16" else int(kind.lstrip("uif"))


def tensor(kind, shape):
    return "tensor<" + "".join(f"{d}x" for d in shape) + kind + ">"


# --- values, as their bits ---


def from_floats(kind, values):
    if kind == "bf16":
        wide = np.asarray(values, np.float32).view(np.uint32)
        return ((wide + 0x7FFF + ((wide >> 16) & 1)) >> 16).astype(np.uint16)
    return np.asarray(values, f"f{bits(kind) // 8}").view(f"u{bits(kind) // 8}")


def wild(rng, kind, shape):
    """Any value, the edges often; no subnormal floats, which the plugin takes for zeros."""
    size, count = bits(kind), math.prod(shape)
    if kind in INTEGERS:
        edges = np.array([0, 1, 2**size - 1, 2 ** (size - 1), 2 ** (size - 1) - 1, 2, 7], np.uint64)
        random = rng.integers(0, 2**64, count, np.uint64, endpoint=False)
        return np.where(rng.random(count) < 0.4, rng.choice(edges, count), random).astype(f"u{size // 8}").reshape(shape)
    edges = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -2.5, 3.5]
    random = rng.normal(size=count) * 10.0 ** rng.uniform(-4, 4, count)
    return from_floats(kind, np.where(rng.random(count) < 0.3, rng.choice(edges, count), random)).reshape(shape)


def small(rng, kind, shape, least=-4, most=4):
    """Whole numbers whose sums and products every type holds exactly."""
    values = rng.integers(0 if kind in UNSIGNED else least, most + 1, shape)
    return values.astype(f"u{bits(kind) // 8}") if kind in INTEGERS else from_floats(kind, values.astype(np.float64)).reshape(shape)


class Program:
    """The text of @main, line by line; values are (name, kind, shape)."""

    def __init__(self, seed):
        self.rng, self.lines, self.arguments, self.results, self.count = np.random.default_rng(seed), [], [], [], 0

    def add(self, kind, shape, text):
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text}")
        return name, kind, tuple(shape)

    def argument(self, kind, shape, make=wild):
        """A value of any kind; i1 as what is not zero."""
        carrier = "ui8" if kind == "i1" else f"ui{bits(kind)}"
        self.arguments.append((carrier, make(self.rng, "ui8" if kind == "i1" else kind, shape)))
        name, came = f"%a{len(self.arguments) - 1}", tensor(carrier, shape)
        if kind == "i1":
            zero = self.add("ui8", shape, f"stablehlo.constant dense<0> : {came}")[0]
            return self.add("i1", shape, f"stablehlo.compare NE, {name}, {zero} : ({came}, {came}) -> {tensor('i1', shape)}")
        return self.add(kind, shape, f"stablehlo.bitcast_convert {name} : ({came}) -> {tensor(kind, shape)}")

    def scalar(self, kind, value):
        return self.add(kind, (), f"stablehlo.constant dense<{value}> : tensor<{kind}>")

    def op(self, name, operands, kind, shape, attributes="", region=""):
        types = ", ".join(tensor(k, s) for _, k, s in operands)
        names = ", ".join(n for n, _, _ in operands)
        return self.add(kind, shape, f'"stablehlo.{name}"({names}) {attributes}{region} : ({types}) -> {tensor(kind, shape)}')

    def reducer(self, name, kind):
        t = f"tensor<{kind}>"
        return f'({{^bb0(%x: {t}, %y: {t}): %r = stablehlo.{name} %x, %y : {t} "stablehlo.return"(%r) : ({t}) -> ()}})'

    def give(self, value):
        name, kind, shape = value
        self.results.append(kind)
        carrier = "ui8" if kind == "i1" else f"ui{bits(kind)}"
        verb = "convert" if kind == "i1" else "bitcast_convert"
        return self.add(carrier, shape, f"stablehlo.{verb} {name} : ({tensor(kind, shape)}) -> {tensor(carrier, shape)}")

    def text(self, given):
        names = ", ".join(n for n, _, _ in given)
        types = ", ".join(tensor(k, s) for _, k, s in given)
        signature = ", ".join(f"%a{i}: {tensor(k, a.shape)}" for i, (k, a) in enumerate(self.arguments))
        return f"func.func @main({signature}) -> ({types}) {{\n" + "\n".join(self.lines) + f"\n  return {names} : {types}\n}}\n"


# --- the three ways ---


def on_interpreter(text, arguments, results):
    with tempfile.TemporaryDirectory() as folder:
        return run_text(pathlib.Path(folder), text, arguments, results, "--reference")


def on_platform(platform, text, arguments):
    device = jax.devices(platform)[0]
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        code = mlir.module_to_bytecode(module)
    program = device.client.compile_and_load(code, xla_client.DeviceList((device,)), xla_client.CompileOptions())
    with jax.enable_x64(True):
        placed = [jax.device_put(a, device) for a in arguments]
    out = program.execute_sharded(placed).disassemble_into_single_device_arrays()
    return [np.asarray(o[0]) for o in out]


def ordered(kind, raw):
    """Floats' bits as integers in the floats' order, subnormals as zeros; and which are NaN."""
    size, mantissa = bits(kind), MANTISSA[kind]
    raw = raw.astype(np.uint64)
    magnitude = raw & np.uint64(2 ** (size - 1) - 1)
    infinity = (2 ** (size - 1 - mantissa) - 1) << mantissa
    nan = magnitude > np.uint64(infinity)
    magnitude = np.where(magnitude < np.uint64(1 << mantissa), np.uint64(0), magnitude)
    return np.where((raw >> np.uint64(size - 1)) != 0, -magnitude.astype(np.int64), magnitude.astype(np.int64)), nan


def compare(kind, got, want, ulp, what):
    assert got.shape == want.shape, what
    if kind not in FLOATS:
        np.testing.assert_array_equal(got, want, err_msg=what)
        return
    (a, a_nan), (b, b_nan) = ordered(kind, got), ordered(kind, want)
    wrong = (a_nan != b_nan) | (~a_nan & (np.abs(a - b) > ulp))
    assert not wrong.any(), f"{what}\nat {np.argwhere(wrong)[0]}: {got[wrong][0]:#x} instead of {want[wrong][0]:#x}"


def check(program, *values, jaxlib=True, ulp=0):
    given_values = [program.give(v) for v in values]
    text, arguments = program.text(given_values), [a for _, a in program.arguments]
    ours = on_platform("treadle", text, arguments)
    ways = {"the interpreter": on_interpreter(text, arguments, len(values))}
    if jaxlib:
        ways["jaxlib"] = on_platform("cpu", text, arguments)
    for way, theirs in ways.items():
        for kind, got, want in zip(program.results, ours, theirs):
            compare(kind, got, want, ulp, f"against {way}:\n{text}")


# --- shapes ---

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.sampled_from([0, 1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33])


@st.composite
def shapes(draw, least=0, most=4, elements=5000):
    shape = draw(st.lists(SIZES, min_size=least, max_size=most))
    while math.prod(max(d, 1) for d in shape) > elements:
        shape[int(np.argmax(shape))] = 3
    return tuple(shape)


def ints(values):
    return "array<i64>" if not values else f"array<i64: {', '.join(str(int(v)) for v in values)}>"


def pairs(rows):
    return f"dense<{[list(map(int, r)) for r in rows]}> : tensor<{len(rows)}x2xi64>" if rows else "dense<> : tensor<0x2xi64>"


# --- elementwise ---

EVERY_NUMBER = ["add", "subtract", "multiply", "maximum", "minimum", "negate", "divide", "remainder"]
OF_BITS = ["and", "or", "xor", "not", "shift_left", "shift_right_logical", "shift_right_arithmetic", "popcnt", "count_leading_zeros"]
OF_FLOATS = ["floor", "ceil", "round_nearest_afz", "round_nearest_even"]
UNARY = {"negate", "abs", "sign", "not", "popcnt", "count_leading_zeros", *OF_FLOATS}
DIRECTIONS = ["EQ", "NE", "LT", "LE", "GT", "GE"]


@FEW
@given(SEEDS, st.sampled_from(NUMBERS), shapes(), st.data())
def test_elementwise(seed, kind, shape, data):
    names = EVERY_NUMBER + (OF_BITS if kind in INTEGERS else OF_FLOATS) + (["abs", "sign"] if kind not in UNSIGNED else [])
    p = Program(seed)
    values = [p.argument(kind, shape), p.argument(kind, shape)]
    for name in data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=5)):
        operands = [data.draw(st.sampled_from(values)) for _ in range(1 if name in UNARY else 2)]
        values.append(p.op(name, operands, kind, shape))
    # jaxlib computes chains of short floats in wider ones.
    check(p, *values[2:], jaxlib=kind not in ("bf16", "f16"))


@FEW
@given(SEEDS, st.sampled_from(NUMBERS), shapes(), st.sampled_from(DIRECTIONS))
def test_compare_select_clamp(seed, kind, shape, direction):
    p = Program(seed)
    x, y, z = (p.argument(kind, shape) for _ in range(3))
    how = "FLOAT" if kind in FLOATS else "SIGNED" if kind in SIGNED else "UNSIGNED"
    chosen = p.op("compare", [x, y], "i1", shape,
                  f"{{comparison_direction = #stablehlo<comparison_direction {direction}>, compare_type = #stablehlo<comparison_type {how}>}}")
    low = p.op("minimum", [y, z], kind, shape)
    high = p.op("maximum", [y, z], kind, shape)
    check(p, chosen, p.op("select", [chosen, x, z], kind, shape), p.op("clamp", [low, x, high], kind, shape))


FUNCTIONS = ["exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "tanh", "sine", "cosine", "tan", "sqrt", "rsqrt", "cbrt"]


@FEW
@given(SEEDS, st.sampled_from(["f32", "f64"]), shapes(), st.sampled_from(FUNCTIONS))
def test_functions(seed, kind, shape, name):
    p = Program(seed)
    check(p, p.op(name, [p.argument(kind, shape)], kind, shape), jaxlib=False, ulp=3)


@FEW
@given(SEEDS, st.sampled_from(NUMBERS), st.sampled_from(NUMBERS), shapes())
def test_convert(seed, kind, to, shape):
    p = Program(seed)
    # Between floats and integers only what both hold: more is not defined.
    make = wild if (kind in FLOATS) == (to in FLOATS) else functools.partial(small, least=0, most=100)
    x = p.argument(kind, shape, make)
    check(p, p.op("convert", [x], to, shape), p.op("convert", [p.op("convert", [x], "i1", shape)], to, shape))


@FEW
@given(SEEDS, st.sampled_from(NUMBERS), st.sampled_from(NUMBERS), shapes(most=3))
def test_bitcast_convert(seed, kind, to, shape):
    p = Program(seed)
    ratio = bits(kind) // bits(to) if bits(kind) > bits(to) else 0
    if bits(kind) < bits(to):
        shape = (*shape, bits(to) // bits(kind))
    out = (*shape, ratio) if ratio else shape if bits(kind) == bits(to) else shape[:-1]
    check(p, p.op("bitcast_convert", [p.argument(kind, shape, small)], to, out))


# --- movement ---

MOVED = ["i1", "i8", "i16", "f32", "bf16", "i64", "f64"]


@FEW
@given(SEEDS, st.sampled_from(MOVED), shapes(least=1), st.data())
def test_slice_pad_reverse_transpose(seed, kind, shape, data):
    p = Program(seed)
    x = p.argument(kind, shape)
    starts = [data.draw(st.integers(0, d)) for d in shape]
    limits = [data.draw(st.integers(s, d)) for s, d in zip(starts, shape)]
    strides = [data.draw(st.integers(1, 4)) for _ in shape]
    cut = [-(-(b - a) // s) for a, b, s in zip(starts, limits, strides)]
    sliced = p.op("slice", [x], kind, cut, f"{{start_indices = {ints(starts)}, limit_indices = {ints(limits)}, strides = {ints(strides)}}}")
    interior = [data.draw(st.integers(0, 2)) for _ in shape]
    spread = [d + max(d - 1, 0) * i for d, i in zip(shape, interior)]
    low = [data.draw(st.integers(-min(d, 3), 3)) for d in spread]
    high = [data.draw(st.integers(max(-3, -d - l), 3)) for d, l in zip(spread, low)]
    filler = p.op("reshape", [p.argument(kind, (1,))], kind, ())
    padded = p.op("pad", [x, filler], kind, [d + a + b for d, a, b in zip(spread, low, high)],
                  f"{{edge_padding_low = {ints(low)}, edge_padding_high = {ints(high)}, interior_padding = {ints(interior)}}}")
    dims = data.draw(st.lists(st.sampled_from(range(len(shape))), unique=True))
    reversed_ = p.op("reverse", [x], kind, shape, f"{{dimensions = {ints(dims)}}}")
    order = data.draw(st.permutations(range(len(shape))))
    turned = p.op("transpose", [reversed_], kind, [shape[d] for d in order], f"{{permutation = {ints(order)}}}")
    check(p, sliced, padded, reversed_, turned)


@FEW
@given(SEEDS, st.sampled_from(MOVED), shapes(least=1), st.data())
def test_broadcast_concatenate_reshape(seed, kind, shape, data):
    p = Program(seed)
    x = p.argument(kind, shape)
    along = data.draw(st.integers(0, len(shape) - 1))
    other = list(shape)
    other[along] = data.draw(SIZES)
    whole = list(shape)
    whole[along] = 2 * shape[along] + other[along]
    joined = p.op("concatenate", [x, p.argument(kind, tuple(other)), x], kind, whole, f"{{dimension = {along} : i64}}")
    flat = p.op("reshape", [joined], kind, [math.prod(whole)])
    ones = [1 if data.draw(st.booleans()) else d for d in shape]
    y = p.argument(kind, tuple(ones))
    target = list(shape)
    target.insert(data.draw(st.integers(0, len(shape))), 3)
    places = [i for i in range(len(target)) if i != target.index(3)] if target.count(3) == 1 else list(range(len(shape)))
    if [target[i] for i in places] != list(shape):
        target, places = [*shape, 2], list(range(len(shape)))
    wide = p.op("broadcast_in_dim", [y], kind, target, f"{{broadcast_dimensions = {ints(places)}}}")
    check(p, joined, flat, wide)


@FEW
@given(SEEDS, st.sampled_from(MOVED), shapes(least=1, most=3), st.sampled_from(["i8", "i32", "i64", "ui32"]), st.data())
def test_dynamic_slices(seed, kind, shape, index, data):
    p = Program(seed)
    x = p.argument(kind, shape)
    sizes = [data.draw(st.integers(0, d)) for d in shape]
    starts = [p.argument(index, ()) if data.draw(st.booleans()) else p.scalar(index, data.draw(st.integers(0, 6))) for _ in shape]
    part = p.op("dynamic_slice", [x, *starts], kind, sizes, f"{{slice_sizes = {ints(sizes)}}}")
    check(p, part, p.op("dynamic_update_slice", [x, p.argument(kind, tuple(sizes)), *starts], kind, shape))


@FEW
@given(st.sampled_from(NUMBERS), shapes(least=1), st.data())
def test_iota(kind, shape, data):
    p = Program(0)
    p.argument("i8", ())
    dim = data.draw(st.integers(0, len(shape) - 1))
    check(p, p.op("iota", [], kind, shape, f"{{iota_dimension = {dim} : i64}}"))


# --- reductions, products, sorts ---

REDUCERS = ["add", "maximum", "minimum", "multiply"]


def start(p, reducer, kind):
    return p.scalar(kind, {"add": 0, "multiply": 1}.get(reducer, 2) if kind in INTEGERS else {"add": "0.0", "multiply": "1.0"}.get(reducer, "2.0"))


@FEW
@given(SEEDS, st.sampled_from(NUMBERS), shapes(least=1, elements=3000), st.sampled_from(REDUCERS), st.data())
def test_reduce(seed, kind, shape, reducer, data):
    p = Program(seed)
    dims = sorted(data.draw(st.sets(st.sampled_from(range(len(shape))))))
    make = functools.partial(small, least=1, most=1) if reducer == "multiply" else functools.partial(small, least=-1, most=1)
    out = [d for i, d in enumerate(shape) if i not in dims]
    x = p.argument(kind, shape, wild if kind in INTEGERS else make)
    # Sums of short floats lose what is beyond their digits, one way or another.
    if kind in ("bf16", "f16") and reducer == "add":
        reducer = "maximum"
    # jaxlib forgets the initial value where no dimension is reduced.
    check(p, p.op("reduce", [x, start(p, reducer, kind)], kind, out, "", p.reducer(reducer, kind) + f" {{dimensions = {ints(dims)}}}"),
          jaxlib=bool(dims))


@FEW
@given(SEEDS, st.sampled_from(INTEGERS + ["f32", "f64"]), shapes(least=1, most=3, elements=600), st.sampled_from(REDUCERS), st.data())
def test_reduce_window(seed, kind, shape, reducer, data):
    p = Program(seed)
    draw = lambda least, most: [data.draw(st.integers(least, most)) for _ in shape]
    window, strides, base, dilation = draw(1, 3), draw(1, 3), draw(1, 2), draw(1, 2)
    padding = [(data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))) for _ in shape]
    out = []
    for d, w, s, b, wd, (lo, hi) in zip(shape, window, strides, base, dilation, padding):
        room = (0 if d == 0 else (d - 1) * b + 1) + lo + hi - ((w - 1) * wd + 1)
        out.append(0 if room < 0 else room // s + 1)
    x = p.argument(kind, shape, small)
    neutral = {"add": 0, "multiply": 1}.get(reducer)
    if neutral is None:  # below or above all there is
        neutral = (4 if reducer == "minimum" else 0 if kind in UNSIGNED else -4)
    init = p.scalar(kind, neutral if kind in INTEGERS else f"{neutral}.0")
    attributes = (f"{{window_dimensions = {ints(window)}, window_strides = {ints(strides)}, base_dilations = {ints(base)}, "
                  f"window_dilations = {ints(dilation)}, padding = {pairs(padding)}}}")
    check(p, p.op("reduce_window", [x, init], kind, out, "", p.reducer(reducer, kind) + " " + attributes))


@FEW
@given(SEEDS, st.sampled_from(["i8", "i32", "ui8", "i64", "bf16", "f32", "f64"]), st.data())
def test_dot_general(seed, kind, data):
    p = Program(seed)
    few = st.lists(st.sampled_from([0, 1, 2, 3, 5, 8, 17]), max_size=2)
    batch, summed, left, right = (data.draw(few) for _ in range(4))
    def side(free):
        dims = [("b", i, d) for i, d in enumerate(batch)] + [("k", i, d) for i, d in enumerate(summed)] + [("f", i, d) for i, d in enumerate(free)]
        dims = data.draw(st.permutations(dims))
        where = {(t, i): at for at, (t, i, _) in enumerate(dims)}
        shape = tuple(d for _, _, d in dims)
        frees = [d for t, _, d in dims if t == "f"]
        return shape, [where["b", i] for i in range(len(batch))], [where["k", i] for i in range(len(summed))], frees
    lhs, lhs_batch, lhs_summed, lhs_free = side(left)
    rhs, rhs_batch, rhs_summed, rhs_free = side(right)
    numbers = (f"{{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = {lhs_batch}, rhs_batching_dimensions = {rhs_batch}, "
               f"lhs_contracting_dimensions = {lhs_summed}, rhs_contracting_dimensions = {rhs_summed}>}}")
    make = functools.partial(small, least=-1, most=1) if kind == "bf16" else small
    out = "i32" if kind == "i8" else "f32" if kind == "bf16" else kind
    x, y = p.argument(kind, lhs, make), p.argument(kind, rhs, make)
    check(p, p.op("dot_general", [x, y], out, [*batch, *lhs_free, *rhs_free], numbers))


@FEW
@given(SEEDS, st.sampled_from(INTEGERS + ["f32", "f64"]), shapes(least=1, most=3), st.booleans(), st.data())
def test_sort(seed, kind, shape, descending, data):
    p = Program(seed)
    dim = data.draw(st.integers(0, len(shape) - 1))
    keys = p.argument(kind, shape, small)
    places = p.op("iota", [], "i32", shape, f"{{iota_dimension = {dim} : i64}}")
    how = "FLOAT" if kind in FLOATS else "SIGNED" if kind in SIGNED else "UNSIGNED"
    t, i = f"tensor<{kind}>", "tensor<i32>"
    body = (f'({{^bb0(%x: {t}, %y: {t}, %i: {i}, %j: {i}): %r = stablehlo.compare {"GT" if descending else "LT"}, %x, %y, {how} : ({t}, {t}) '
            f'-> tensor<i1> "stablehlo.return"(%r) : (tensor<i1>) -> ()}})')
    types = f"{tensor(kind, shape)}, {tensor('i32', shape)}"
    p.lines.append(f'  %sorted:2 = "stablehlo.sort"({keys[0]}, {places[0]}) {body} {{dimension = {dim} : i64, is_stable = true}} : ({types}) -> ({types})')
    check(p, ("%sorted#0", kind, shape), ("%sorted#1", "i32", shape))
