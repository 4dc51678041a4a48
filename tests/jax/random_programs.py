"""Random programs of lax operations, each evaluated by NumPy while it is made.

A program is a list of instructions over numbered values, so that it can be printed, cut down and run again. While one is
made every value is known, so that only operations enter whose results say something: in an exact program floats are
small whole numbers and every result must be equal; in a rounding program two shadows of each value carry random rounding
errors, and the distance between them is the tolerance of the result.
"""

import dataclasses
import functools
import warnings

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

BF16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16), BF16]
SIGNED = [np.dtype(f"int{n}") for n in (8, 16, 32, 64)]
UNSIGNED = [np.dtype(f"uint{n}") for n in (8, 16, 32, 64)]
BOOL = np.dtype(bool)
DTYPES = FLOATS + SIGNED + UNSIGNED + [BOOL]
SIZES = [0, 1, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 100, 1000]
LARGEST_EXACT = {np.dtype(np.float32): 2.0**22, np.dtype(np.float64): 2.0**50, np.dtype(np.float16): 2.0**10, BF16: 2.0**7}


def is_float(dtype):
    return dtype in FLOATS


def is_int(dtype):
    return dtype in SIGNED or dtype in UNSIGNED


def epsilon(dtype):
    return float(ml_dtypes.finfo(dtype).eps)


# ---------------------------------------------------------------------------------------------------------------------
# What each operation means, in NumPy. Floats are computed in double precision and rounded once.


def rounded(fn):
    """`fn` on float64 images of floats of one type, rounded to that type; on other types as it is."""

    @functools.wraps(fn)
    def run(*args, **attrs):
        dtype = args[0].dtype
        if not is_float(dtype):
            return np.asarray(fn(*args, **attrs))
        return np.asarray(fn(*(a.astype(np.float64) for a in args), **attrs)).astype(dtype)

    return run


def divide(a, b):
    if a.dtype.kind == "f":
        return a / b
    bits = a.dtype.itemsize * 8
    safe = np.where(b == 0, a.dtype.type(1), b)
    if a.dtype.kind == "i":
        overflow = (a == np.iinfo(a.dtype).min) & (b == -1)
        safe = np.where(overflow, a.dtype.type(1), safe)
    else:
        overflow = np.zeros(a.shape, bool)
    quotient = (a - remainder(a, safe)) // safe
    ones = a.dtype.type(-1) if a.dtype.kind == "i" else a.dtype.type(2**bits - 1)
    return np.where(b == 0, ones, np.where(overflow, a, quotient)).astype(a.dtype)


def remainder(a, b):
    if a.dtype.kind in "iu":
        special = (b == 0) | ((b == -1) if a.dtype.kind == "i" else False)
        result = np.fmod(a, np.where(special, a.dtype.type(1), b))
        return np.where(b == 0, a, result).astype(a.dtype)
    return np.fmod(a, b)


def shift(kind):
    def run(a, b):
        bits = a.dtype.itemsize * 8
        unsigned = np.dtype(f"uint{bits}")
        amount = b.view(unsigned) if b.ndim else np.asarray(b).astype(unsigned)
        inside = amount < bits
        small = np.where(inside, amount, 0).astype(unsigned)
        raw = a.astype(unsigned)
        if kind == "left":
            return np.where(inside, raw << small, 0).astype(unsigned).astype(a.dtype)
        if kind == "logical":
            return np.where(inside, raw >> small, 0).astype(unsigned).astype(a.dtype)
        signed = a.astype(np.dtype(f"int{bits}"))
        return (signed >> np.where(inside, amount, bits - 1).astype(signed.dtype)).astype(a.dtype)

    return run


def convert(a, *, dtype):
    if is_float(a.dtype) and is_int(dtype):
        wide = np.trunc(np.nan_to_num(a.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
        limits = np.iinfo(dtype)
        inside = np.clip(wide, -(2.0**62), 2.0**62).astype(np.int64)
        result = np.clip(inside, max(limits.min, -(2**63)), min(limits.max, 2**63 - 1)).astype(dtype)
        return np.where(wide <= limits.min, limits.min, np.where(wide >= limits.max, limits.max, result)).astype(dtype)
    if dtype == BOOL:
        return a != 0
    return a.astype(dtype)


def count_bits(a):
    bits = a.dtype.itemsize * 8
    raw = np.asarray(a.astype(np.dtype(f"uint{bits}"))).astype(np.uint64)
    total = np.zeros(a.shape, np.uint64)
    for i in range(bits):
        total += (raw >> np.uint64(i)) & np.uint64(1)
    return total.astype(a.dtype)


def leading_zeros(a):
    bits = a.dtype.itemsize * 8
    raw = np.asarray(a.astype(np.dtype(f"uint{bits}"))).astype(np.uint64)
    count = np.full(a.shape, bits, np.int64)
    for i in range(bits):
        count = np.where((raw >> np.uint64(i)) & np.uint64(1), bits - 1 - i, count)
    return count.astype(a.dtype)


def broadcast(a, *, shape, dims):
    kept = [1] * len(shape)
    for i, d in enumerate(dims):
        kept[d] = a.shape[i]
    return np.broadcast_to(a.reshape(kept), shape).copy()


def pad(a, value, *, config):
    result = a
    for axis, (low, high, interior) in enumerate(config):
        size = result.shape[axis]
        dilated = size + max(size - 1, 0) * interior
        total = max(low + dilated + high, 0)
        shape = list(result.shape)
        shape[axis] = total
        out = np.full(shape, value, a.dtype)
        for i in range(size):
            target = low + i * (interior + 1)
            if 0 <= target < total:
                index = [slice(None)] * a.ndim
                source = list(index)
                index[axis], source[axis] = target, i
                out[tuple(index)] = result[tuple(source)]
        result = out
    return result


def starts_of(shape, window, starts):
    return [int(min(max(int(s), 0), n - w)) for n, w, s in zip(shape, window, starts)]


def dynamic_slice(a, *starts, sizes):
    begin = starts_of(a.shape, sizes, starts)
    return a[tuple(slice(b, b + n) for b, n in zip(begin, sizes))].copy()


def dynamic_update(a, update, *starts):
    begin = starts_of(a.shape, update.shape, starts)
    out = a.copy()
    out[tuple(slice(b, b + n) for b, n in zip(begin, update.shape))] = update
    return out


def reduction(fn):
    def run(a, *, axes):
        if is_float(a.dtype):
            return np.asarray(fn(a.astype(np.float64), axis=axes)).astype(a.dtype)
        return np.asarray(fn(a, axis=axes)).astype(a.dtype)

    return run


def extreme(fn, lowest):
    def run(a, axis):
        if a.dtype.kind == "f":
            start = -np.inf if lowest else np.inf
        elif a.dtype == BOOL:
            start = not lowest
        else:
            start = np.iinfo(a.dtype).min if lowest else np.iinfo(a.dtype).max
        return fn(a, axis=axis, initial=start)

    return run


def arg_extreme(fn):
    def run(a, *, axis):
        return fn(a.astype(np.float64) if is_float(a.dtype) else a, axis=axis).astype(np.int32)

    return run


def dot(a, b, *, contract, batch):
    wide = np.float64 if is_float(a.dtype) else a.dtype
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    left, right = [next(letters) for _ in a.shape], [next(letters) for _ in b.shape]
    for i, j in zip(contract[0] + batch[0], contract[1] + batch[1]):
        right[j] = left[i]
    result = [left[i] for i in batch[0]]
    result += [left[i] for i in range(a.ndim) if i not in contract[0] + batch[0]]
    result += [right[j] for j in range(b.ndim) if j not in contract[1] + batch[1]]
    spec = f"{''.join(left)},{''.join(right)}->{''.join(result)}"
    return np.asarray(np.einsum(spec, a.astype(wide), b.astype(wide))).astype(a.dtype)


def scan_sum(a, *, axis, reverse):
    wide = a.astype(np.float64) if is_float(a.dtype) else a
    wide = np.flip(wide, axis) if reverse else wide
    total = np.cumsum(wide, axis=axis, dtype=wide.dtype)
    return (np.flip(total, axis) if reverse else total).astype(a.dtype)


def clamp(low, a, high):
    return np.minimum(np.maximum(a, low), high)


COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}

# name: (lax, NumPy)
OPERATIONS = {
    "neg": (lax.neg, lambda a: (-a.astype(np.float64)).astype(a.dtype) if is_float(a.dtype) else (0 - a).astype(a.dtype)),
    "abs": (lax.abs, np.abs),
    "sign": (lax.sign, rounded(np.sign)),
    "floor": (lax.floor, rounded(np.floor)),
    "ceil": (lax.ceil, rounded(np.ceil)),
    "round": (lambda a: lax.round(a, lax.RoundingMethod.TO_NEAREST_EVEN), rounded(np.rint)),
    "is_finite": (lax.is_finite, lambda a: np.isfinite(a.astype(np.float64))),
    "exp": (lax.exp, rounded(np.exp)),
    "expm1": (lax.expm1, rounded(np.expm1)),
    "log": (lax.log, rounded(np.log)),
    "log1p": (lax.log1p, rounded(np.log1p)),
    "tanh": (lax.tanh, rounded(np.tanh)),
    "sin": (lax.sin, rounded(np.sin)),
    "cos": (lax.cos, rounded(np.cos)),
    "sqrt": (lax.sqrt, rounded(np.sqrt)),
    "rsqrt": (lax.rsqrt, rounded(lambda a: 1 / np.sqrt(a))),
    "cbrt": (lax.cbrt, rounded(np.cbrt)),
    "logistic": (lax.logistic, rounded(lambda a: 1 / (1 + np.exp(-a)))),
    "not": (lax.bitwise_not, np.invert),
    "popcnt": (lax.population_count, count_bits),
    "clz": (lax.clz, leading_zeros),
    "add": (lax.add, rounded(np.add)),
    "sub": (lax.sub, rounded(np.subtract)),
    "mul": (lax.mul, rounded(np.multiply)),
    "max": (lax.max, rounded(np.maximum)),
    "min": (lax.min, rounded(np.minimum)),
    "div": (lax.div, rounded(divide)),
    "rem": (lax.rem, rounded(remainder)),
    "pow": (lax.pow, rounded(np.power)),
    "atan2": (lax.atan2, rounded(np.arctan2)),
    "and": (lax.bitwise_and, np.bitwise_and),
    "or": (lax.bitwise_or, np.bitwise_or),
    "xor": (lax.bitwise_xor, np.bitwise_xor),
    "shift_left": (lax.shift_left, shift("left")),
    "shift_logical": (lax.shift_right_logical, shift("logical")),
    "shift_arithmetic": (lax.shift_right_arithmetic, shift("arithmetic")),
    "select": (lax.select, lambda p, a, b: np.where(p, a, b).astype(a.dtype)),
    "clamp": (lax.clamp, rounded(clamp)),
    "convert": (lambda a, dtype: lax.convert_element_type(a, dtype), convert),
    "broadcast": (lambda a, shape, dims: lax.broadcast_in_dim(a, shape, dims), broadcast),
    "reshape": (lambda a, shape: lax.reshape(a, shape), lambda a, shape: a.reshape(shape)),
    "transpose": (lambda a, order: lax.transpose(a, order), lambda a, order: np.transpose(a, order).copy()),
    "rev": (lambda a, axes: lax.rev(a, axes), lambda a, axes: np.flip(a, axes).copy()),
    "slice": (
        lambda a, begin, end, step: lax.slice(a, begin, end, step),
        lambda a, begin, end, step: a[tuple(slice(b, e, s) for b, e, s in zip(begin, end, step))].copy(),
    ),
    "pad": (lambda a, v, config: lax.pad(a, v, config), pad),
    "concatenate": (
        lambda *args, axis: lax.concatenate(args, axis),
        lambda *args, axis: np.concatenate([np.asarray(a) for a in args], axis),
    ),
    "dynamic_slice": (lambda a, *s, sizes: lax.dynamic_slice(a, s, sizes, allow_negative_indices=False), dynamic_slice),
    "dynamic_update": (lambda a, u, *s: lax.dynamic_update_slice(a, u, s, allow_negative_indices=False), dynamic_update),
    "iota": (
        lambda dtype, shape, axis: lax.broadcasted_iota(dtype, shape, axis),
        lambda dtype, shape, axis: broadcast(np.arange(shape[axis]).astype(dtype), shape=shape, dims=(axis,)),
    ),
    "sum": (lambda a, axes: lax.reduce_sum_p.bind(a, axes=axes, out_sharding=None), reduction(np.sum)),
    "prod": (lambda a, axes: lax.reduce_prod_p.bind(a, axes=axes, out_sharding=None), reduction(np.prod)),
    "reduce_max": (lambda a, axes: lax.reduce_max_p.bind(a, axes=axes, out_sharding=None), reduction(extreme(np.max, True))),
    "reduce_min": (lambda a, axes: lax.reduce_min_p.bind(a, axes=axes, out_sharding=None), reduction(extreme(np.min, False))),
    "reduce_or": (lambda a, axes: lax.reduce_or_p.bind(a, axes=axes), reduction(np.bitwise_or.reduce)),
    "reduce_and": (lambda a, axes: lax.reduce_and_p.bind(a, axes=axes), reduction(np.bitwise_and.reduce)),
    "reduce_xor": (lambda a, axes: lax.reduce_xor_p.bind(a, axes=axes), reduction(np.bitwise_xor.reduce)),
    "argmax": (lambda a, axis: lax.argmax(a, axis, np.int32), arg_extreme(np.argmax)),
    "argmin": (lambda a, axis: lax.argmin(a, axis, np.int32), arg_extreme(np.argmin)),
    "cumsum": (lambda a, axis, reverse: lax.associative_scan(lax.add, a, reverse, axis), scan_sum),
    "dot": (
        lambda a, b, contract, batch: lax.dot_general(a, b, (contract, batch), precision=lax.Precision.HIGHEST),
        dot,
    ),
}
for _name, _fn in COMPARE.items():
    OPERATIONS["compare_" + _name] = (getattr(lax, _name), _fn)

INEXACT = {"exp", "expm1", "log", "log1p", "tanh", "sin", "cos", "sqrt", "rsqrt", "cbrt", "logistic", "pow", "atan2"}
ROUNDS = INEXACT | {"add", "sub", "mul", "div", "sum", "prod", "cumsum", "dot", "convert"}


# ---------------------------------------------------------------------------------------------------------------------
# Programs


@dataclasses.dataclass
class Program:
    """Values 0..len(inputs) are inputs; each instruction (name, operands, attributes) makes one value more, a loop
    several. Nested programs are attributes."""

    arity: int
    code: list
    results: list

    def __str__(self):
        lines = [f"inputs {self.arity}"]
        value = self.arity
        for name, operands, attrs in self.code:
            count = width(name, attrs)
            shown = {k: ("\n    " + str(v).replace("\n", "\n    ") if isinstance(v, Program) else v) for k, v in attrs.items()}
            lines.append(f"{', '.join(f'%{value + i}' for i in range(count))} = {name} {operands} " + " ".join(f"{k}={v}" for k, v in shown.items()))
            value += count
        return "\n".join(lines + [f"results {self.results}"])


def width(name, attrs):
    return len(attrs["body"].results) if name in ("fori", "while", "scan", "cond") else 1


def run_jax(program, inputs):
    values = list(inputs)
    for name, operands, attrs in program.code:
        args = [values[i] for i in operands]
        if name in CONTROL:
            values.extend(CONTROL[name][0](args, attrs))
        else:
            values.append(OPERATIONS[name][0](*args, **attrs))
    return tuple(values[i] for i in program.results)


def run_numpy(program, inputs):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = list(inputs)
        for name, operands, attrs in program.code:
            args = [values[i] for i in operands]
            if name in CONTROL:
                values.extend(CONTROL[name][1](args, attrs))
            else:
                values.append(np.asarray(OPERATIONS[name][1](*args, **attrs)))
        return tuple(values[i] for i in program.results)


def fori_jax(args, attrs):
    carried, captured = args[: attrs["carries"]], args[attrs["carries"] :]
    return lax.fori_loop(np.int32(0), np.int32(attrs["trips"]), lambda i, c: run_jax(attrs["body"], (*c, lax.convert_element_type(i, np.int32), *captured)), tuple(carried))


def fori_numpy(args, attrs):
    carried, captured = tuple(args[: attrs["carries"]]), args[attrs["carries"] :]
    for i in range(attrs["trips"]):
        carried = run_numpy(attrs["body"], (*carried, np.asarray(i, np.int32), *captured))
    return carried


def scan_jax(args, attrs):
    n, x = attrs["carries"], attrs["xs"]
    carried, xs, captured = args[:n], args[n : n + x], args[n + x :]

    def body(c, x):
        out = run_jax(attrs["body"], (*c, *x, *captured))
        return out[:n], out[n:]

    c, ys = lax.scan(body, tuple(carried), tuple(xs), length=attrs["trips"], reverse=attrs["reverse"])
    return (*c, *ys)


def scan_numpy(args, attrs):
    n, x = attrs["carries"], attrs["xs"]
    carried, xs, captured = tuple(args[:n]), args[n : n + x], args[n + x :]
    order = range(attrs["trips"])
    rows = {}
    for i in reversed(order) if attrs["reverse"] else order:
        out = run_numpy(attrs["body"], (*carried, *(np.asarray(a[i]) for a in xs), *captured))
        carried, rows[i] = out[:n], out[n:]
    if not rows:  # shapes of the stacked results
        out = run_numpy(attrs["body"], (*carried, *(np.zeros(a.shape[1:], a.dtype) for a in xs), *captured))
        return (*carried, *(np.zeros((0, *y.shape), y.dtype) for y in out[n:]))
    return (*carried, *(np.stack([rows[i][k] for i in order]) for k in range(len(out) - n)))


def cond_jax(args, attrs):
    return lax.switch(args[0], [lambda *a, p=p: run_jax(p, a) for p in (attrs["body"], *attrs["others"])], *args[1:])


def cond_numpy(args, attrs):
    branches = (attrs["body"], *attrs["others"])
    return run_numpy(branches[min(max(int(args[0]), 0), len(branches) - 1)], args[1:])


CONTROL = {"fori": (fori_jax, fori_numpy), "scan": (scan_jax, scan_numpy), "cond": (cond_jax, cond_numpy)}


class Maker:
    """Makes one random program and its inputs."""

    def __init__(self, seed, exact, special=False, dtypes=None, depth=0, loops=True):
        self.rng = np.random.default_rng(seed)
        self.exact, self.special, self.depth, self.loops = exact, special, depth, loops
        self.dtypes = dtypes
        self.shadows = [[]] if exact else [[], [], []]  # values; the first row is the oracle's
        self.code = []

    # Randomness
    def pick(self, things):
        return things[int(self.rng.integers(len(things)))]

    def chance(self, p):
        return self.rng.random() < p

    def shape(self, most=4096):
        while True:
            rank = self.pick([0, 1, 1, 2, 2, 2, 3, 3, 4, 5])
            shape = tuple(int(self.pick(SIZES if self.chance(0.5) else SIZES[1:9])) for _ in range(rank))
            if np.prod(shape, dtype=np.int64) <= most and (0 not in shape or self.chance(0.2)):
                return shape

    def data(self, dtype, shape):
        if dtype == BOOL:
            return self.rng.random(shape) < 0.5
        if is_int(dtype):
            if self.chance(0.3):
                limits = np.iinfo(dtype)
                return self.rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
            return self.rng.integers(0 if dtype in UNSIGNED else -9, 10, shape).astype(dtype)
        if self.exact:
            a = np.asarray(self.rng.integers(-4, 5, shape)).astype(np.float64)
            if self.special and a.ndim and self.chance(0.5):
                where = self.rng.random(shape) < 0.1
                a = np.where(where, self.rng.choice([np.nan, np.inf, -np.inf, -0.0], shape), a)
            return np.asarray(a).astype(dtype)
        return np.asarray(self.rng.uniform(-2, 2, shape)).astype(dtype)

    # Values
    @property
    def values(self):
        return self.shadows[0]

    def add_input(self, array):
        for row in self.shadows:
            row.append(array)

    def find(self, test):
        found = [i for i, v in enumerate(self.values) if test(v)]
        if not found:
            return None
        # The youngest are taken more often: programs grow deep.
        return found[-1 - min(int(self.rng.exponential(4)), len(found) - 1)] if self.chance(0.6) else self.pick(found)

    def like(self, index):
        v = self.values[index]
        return self.find(lambda w: w.shape == v.shape and w.dtype == v.dtype)

    def emit(self, name, operands, **attrs):
        """Appends the instruction if its results say something. Returns whether it did."""
        outs = []
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for row in self.shadows:
                args = [row[i] for i in operands]
                out = CONTROL[name][1](args, attrs) if name in CONTROL else (np.asarray(OPERATIONS[name][1](*args, **attrs)),)
                outs.append([self.perturbed(name, o, args, len(outs)) for o in out])
        for versions in zip(*outs):
            if not self.acceptable(name, versions, operands):
                return False
        for row, out in zip(self.shadows, outs):
            row.extend(out)
        self.code.append((name, list(operands), attrs))
        return True

    def perturbed(self, name, out, args, row):
        if row == 0 or name not in ROUNDS or not is_float(out.dtype):
            return out
        scale = np.abs(out.astype(np.float64))
        if name in ("sum", "cumsum", "dot"):
            scale = scale + max(float(np.max(np.abs(a.astype(np.float64)), initial=0)) for a in args) ** len(args) * 4
        noise = self.rng.choice([-1.0, 1.0], out.shape) * self.rng.uniform(1, 2, out.shape) * epsilon(out.dtype) * 1.5
        return np.asarray(out.astype(np.float64) + noise * scale).astype(out.dtype)

    def acceptable(self, name, versions, operands):
        v = versions[0]
        if v.size > 20000:
            return False
        if not is_float(v.dtype):
            return all(np.array_equal(v, w) for w in versions[1:])
        wide = v.astype(np.float64)
        if self.exact:
            if name == "sum" or name == "dot" or name == "cumsum" or name == "prod":
                magnitude = [np.abs(self.values[i].astype(np.float64)) for i in operands]
                if any(not np.all(np.isfinite(m)) for m in magnitude) and name in ("dot", "cumsum"):
                    return False
                total = max(float(np.max(m, initial=0)) for m in magnitude) ** len(operands) * max(m.size for m in magnitude)
                if name == "prod" and np.any(magnitude[0] > 2):
                    return False
                if total > LARGEST_EXACT[v.dtype] and np.all(np.isfinite(total)):
                    return False
            finite = wide[np.isfinite(wide)]
            whole = np.all(finite * 4 == np.rint(finite * 4))
            return bool(whole and np.all(np.abs(finite) <= LARGEST_EXACT[v.dtype]))
        tiny = float(ml_dtypes.finfo(v.dtype).tiny) * 8
        large = 1e3 if v.dtype == np.float16 else 1e6
        if not np.all(np.isfinite(wide)) or np.any((np.abs(wide) < tiny) & (wide != 0)) or np.any(np.abs(wide) > large):
            return False
        spread = max((float(np.max(np.abs(w.astype(np.float64) - wide), initial=0)) for w in versions[1:]), default=0)
        return spread <= 0.05 * (1 + float(np.max(np.abs(wide), initial=0)))

    # Operations
    def step(self):
        kinds = [
            self.unary, self.binary, self.binary, self.binary, self.compare, self.select, self.convert, self.reduce, self.reduce,
            self.broadcast, self.broadcast, self.reshape, self.transpose, self.slice, self.pad, self.concatenate, self.rev,
            self.dynamic_slice, self.dynamic_update, self.iota, self.dot, self.clamp, self.arg, self.cumsum, self.literal,
        ]  # fmt: skip
        if self.loops and self.depth < 2:
            kinds += [self.fori, self.scan, self.cond]
        return self.pick(kinds)()

    def unary(self):
        i = self.find(lambda v: True)
        dtype = self.values[i].dtype
        if dtype == BOOL:
            return self.emit("not", [i])
        if is_int(dtype):
            names = ["neg", "abs", "sign", "not", "popcnt", "clz"] if dtype in SIGNED else ["not", "popcnt", "clz", "neg"]
        else:
            names = ["neg", "abs", "sign", "floor", "ceil", "round", "is_finite"] + ([] if self.exact else sorted(INEXACT - {"pow", "atan2"}) * 2)
        return self.emit(self.pick(names), [i])

    def binary(self):
        i = self.find(lambda v: True)
        j = self.like(i)
        dtype = self.values[i].dtype
        if dtype == BOOL:
            names = ["and", "or", "xor", "max", "min"]
        elif is_int(dtype):
            names = ["add", "sub", "mul", "max", "min", "div", "rem", "and", "or", "xor", "shift_left", "shift_logical", "shift_arithmetic"]
        else:
            names = ["add", "sub", "mul", "max", "min", "add", "sub", "mul"] + (["div", "pow", "atan2", "rem"] if not self.exact else [])
        return self.emit(self.pick(names), [i, j])

    def compare(self):
        i = self.find(lambda v: True)
        return self.emit("compare_" + self.pick(list(COMPARE)), [i, self.like(i)])

    def select(self):
        p = self.find(lambda v: v.dtype == BOOL)
        if p is None:
            return False
        scalar = self.chance(0.3)
        i = self.find(lambda v: v.shape == self.values[p].shape) if not (scalar and self.values[p].shape == ()) else self.find(lambda v: True)
        return self.emit("select", [p, i, self.like(i)])

    def clamp(self):
        i = self.find(lambda v: v.dtype != BOOL)
        if i is None:
            return False
        if self.chance(0.5):
            low, high = (self.find(lambda v: v.shape == () and v.dtype == self.values[i].dtype) for _ in range(2))
            return low is not None and self.emit("clamp", [low, i, high])
        return self.emit("clamp", [self.like(i), i, self.like(i)])

    def convert(self):
        # JAX converts literals itself, and those that do not fit its own way.
        i = self.find(lambda v: v.ndim > 0 or not is_float(v.dtype) or (np.isfinite(v) and 0 <= v <= 100))
        if i is None:
            return False
        return self.emit("convert", [i], dtype=self.pick(self.dtypes or DTYPES))

    def axes(self, rank):
        return tuple(sorted(int(a) for a in self.rng.permutation(rank)[: self.rng.integers(0 if self.chance(0.1) else min(rank, 1), rank + 1)]))

    def reduce(self):
        i = self.find(lambda v: v.ndim > 0) if self.chance(0.9) else self.find(lambda v: True)
        if i is None:
            return False
        v = self.values[i]
        axes = self.axes(v.ndim)
        if v.dtype == BOOL:
            names = ["reduce_or", "reduce_and", "reduce_xor"]
        elif is_int(v.dtype):
            names = ["sum", "sum", "prod", "reduce_max", "reduce_min", "reduce_or", "reduce_and", "reduce_xor"]
        else:
            names = ["sum", "sum", "prod", "reduce_max", "reduce_min"]
        if not self.emit(self.pick(names), [i], axes=axes):
            return False
        if self.chance(0.5):  # and back to the shape it had
            self.emit("broadcast", [len(self.values) - 1], shape=v.shape, dims=tuple(d for d in range(v.ndim) if d not in axes))
        return True

    def arg(self):
        i = self.find(lambda v: v.ndim > 0 and v.dtype != BOOL and 0 not in v.shape)
        if i is None:
            return False
        return self.emit(self.pick(["argmax", "argmin"]), [i], axis=int(self.rng.integers(self.values[i].ndim)))

    def cumsum(self):
        i = self.find(lambda v: v.ndim > 0 and v.dtype != BOOL)
        if i is None or self.chance(0.5):
            return False
        return self.emit("cumsum", [i], axis=int(self.rng.integers(self.values[i].ndim)), reverse=self.chance(0.3))

    def broadcast(self):
        i = self.find(lambda v: v.ndim < 4 and v.size < 2000)
        if i is None:
            return False
        v = self.values[i]
        other = self.find(lambda w: w.ndim >= v.ndim)
        if other is not None and self.chance(0.6):
            shape = list(self.values[other].shape)
            dims = tuple(sorted(int(d) for d in self.rng.permutation(len(shape))[: v.ndim]))
            for k, d in enumerate(dims):
                shape[d] = shape[d] if v.shape[k] == 1 else v.shape[k]
        else:
            shape, dims = [], []
            for size in v.shape:
                while self.chance(0.3) and len(shape) < 5:
                    shape.append(int(self.pick(SIZES[1:12])))
                dims.append(len(shape))
                shape.append(int(self.pick(SIZES[1:12])) if size == 1 and self.chance(0.7) else size)
            while self.chance(0.5) and len(shape) < 5:
                shape.append(int(self.pick(SIZES[1:12])))
        if np.prod(shape, dtype=np.int64) > 20000:
            return False
        return self.emit("broadcast", [i], shape=tuple(shape), dims=tuple(dims))

    def reshape(self):
        i = self.find(lambda v: True)
        size, shape = self.values[i].size, []
        if size == 0:
            shape = list(self.rng.permutation([0, *(self.pick([1, 2, 3]) for _ in range(self.rng.integers(0, 3)))]))
        else:
            while size > 1 and len(shape) < 4:
                factors = [f for f in range(1, min(size, 200) + 1) if size % f == 0]
                f = self.pick(factors)
                shape.append(f)
                size //= f
                if self.chance(0.3):
                    break
            shape.append(size)
            if self.chance(0.3):
                shape.insert(int(self.rng.integers(len(shape) + 1)), 1)
            if size == 1 and self.chance(0.7):
                shape.remove(1)
        return self.emit("reshape", [i], shape=tuple(int(s) for s in shape))

    def transpose(self):
        i = self.find(lambda v: v.ndim > 1)
        return i is not None and self.emit("transpose", [i], order=tuple(int(d) for d in self.rng.permutation(self.values[i].ndim)))

    def rev(self):
        i = self.find(lambda v: v.ndim > 0)
        return i is not None and self.emit("rev", [i], axes=self.axes(self.values[i].ndim))

    def slice(self):
        i = self.find(lambda v: v.ndim > 0)
        if i is None:
            return False
        begin, end, step = [], [], []
        for n in self.values[i].shape:
            whole = self.chance(0.4)
            b = 0 if whole else int(self.rng.integers(0, n + 1)) if self.chance(0.5) else min(1, n)
            begin.append(b)
            end.append(n if whole or self.chance(0.4) else int(self.rng.integers(b, n + 1)))
            step.append(1 if self.chance(0.7) else int(self.rng.integers(1, 5)))
        return self.emit("slice", [i], begin=tuple(begin), end=tuple(end), step=tuple(step))

    def pad(self):
        i = self.find(lambda v: v.ndim > 0 and v.size < 5000)
        if i is None:
            return False
        v = self.values[i]
        value = self.find(lambda w: w.shape == () and w.dtype == v.dtype)
        if value is None:
            return False
        config = []
        for n in v.shape:
            low, high = (int(self.pick([0, 0, 0, 1, 2, 5, -1, -2])) for _ in range(2))
            interior = int(self.pick([0, 0, 0, 1, 2]))
            dilated = n + max(n - 1, 0) * interior
            config.append((low, high, interior) if low + high + dilated >= 0 else (0, 0, interior))
        return self.emit("pad", [i, value], config=tuple(config))

    def concatenate(self):
        i = self.find(lambda v: v.ndim > 0)
        if i is None:
            return False
        v, axis = self.values[i], int(self.rng.integers(self.values[i].ndim))
        rest = lambda s: s[:axis] + s[axis + 1 :]
        parts = [self.find(lambda w: w.ndim == v.ndim and w.dtype == v.dtype and rest(w.shape) == rest(v.shape)) for _ in range(self.rng.integers(1, 4))]
        return self.emit("concatenate", [i, *parts], axis=axis)

    def starts(self, count):
        found = [self.find(lambda v: v.shape == () and is_int(v.dtype)) for _ in range(count)]
        if any(f is None for f in found):
            return None
        # All indices of one operation are of one type.
        dtype = self.values[found[0]].dtype if found else None
        found = [self.find(lambda v: v.shape == () and v.dtype == dtype) for _ in range(count)]
        return found

    def dynamic_slice(self):
        i = self.find(lambda v: v.ndim > 0)
        if i is None:
            return False
        v, starts = self.values[i], self.starts(self.values[i].ndim)
        if starts is None:
            return False
        return self.emit("dynamic_slice", [i, *starts], sizes=tuple(int(self.rng.integers(0 if self.chance(0.1) else min(1, n), n + 1)) for n in v.shape))

    def dynamic_update(self):
        i = self.find(lambda v: v.ndim > 0)
        if i is None:
            return False
        v, starts = self.values[i], self.starts(self.values[i].ndim)
        update = self.find(lambda w: w.ndim == v.ndim and w.dtype == v.dtype and all(a <= b for a, b in zip(w.shape, v.shape)))
        if starts is None or update is None:
            return False
        return self.emit("dynamic_update", [i, update, *starts])

    def iota(self):
        shape = self.values[self.find(lambda v: True)].shape if self.chance(0.7) else self.shape(500)
        dtype = self.pick(self.dtypes or DTYPES)
        if dtype == BOOL or not shape or (is_float(dtype) and max(shape) > 100) or (self.exact is False and is_float(dtype) and max(shape) > 10):
            return False
        return self.emit("iota", [], dtype=dtype, shape=shape, axis=int(self.rng.integers(len(shape))))

    def literal(self):
        shape = () if self.chance(0.6) else self.shape(50)
        dtype = self.pick(self.dtypes or DTYPES)
        value = self.data(dtype, shape)
        return self.emit("literal", [], value=value)

    def dot(self):
        i = self.find(lambda v: v.dtype != BOOL and v.ndim <= 3)
        if i is None:
            return False
        v = self.values[i]
        j = self.find(lambda w: w.dtype == v.dtype and w.ndim <= 3)
        w = self.values[j]
        pairs = [(a, b) for a in range(v.ndim) for b in range(w.ndim) if v.shape[a] == w.shape[b]]
        contract, batch = ([], []), ([], [])
        order = self.rng.permutation(len(pairs))
        for k in order:
            a, b = pairs[k]
            if a in contract[0] + batch[0] or b in contract[1] + batch[1] or self.chance(0.2):
                continue
            kind = batch if self.chance(0.35) else contract
            kind[0].append(a)
            kind[1].append(b)
        free = [v.shape[a] for a in range(v.ndim) if a not in contract[0]] + [w.shape[b] for b in range(w.ndim) if b not in contract[1] + batch[1]]
        if np.prod(free, dtype=np.int64) > 20000 or len(free) > 5:
            return False
        return self.emit("dot", [i, j], contract=tuple(map(tuple, contract)), batch=tuple(map(tuple, batch)))

    # Control flow
    def inner(self, arrays, steps):
        """A maker of a nested program whose inputs are `arrays` (rows of shadows)."""
        maker = Maker(int(self.rng.integers(2**31)), self.exact, self.special, self.dtypes, self.depth + 1)
        for i in range(len(arrays[0])):
            for row, source in zip(maker.shadows, arrays):
                row.append(source[i])
        for _ in range(steps):
            maker.step()
        return maker

    def matching(self, maker, likes):
        return [maker.find(lambda v: v.shape == w.shape and v.dtype == w.dtype) for w in likes]

    def operands(self, least, most, test=lambda v: v.size <= 2000):
        count = int(self.rng.integers(least, most + 1))
        found = [self.find(test) for _ in range(count)]
        return [f for f in found if f is not None]

    def fori(self):
        carries, captured = self.operands(1, 5), self.operands(0, 3)
        if not carries:
            return False
        rows = [[row[i] for i in carries] + [np.asarray(0, np.int32)] + [row[i] for i in captured] for row in self.shadows]
        maker = self.inner(rows, int(self.rng.integers(1, 10)))
        results = self.matching(maker, [self.values[i] for i in carries])
        body = Program(len(rows[0]), maker.code, results)
        return self.emit("fori", carries + captured, carries=len(carries), trips=int(self.pick([0, 1, 2, 3, 7])), body=body)

    def scan(self):
        carries, captured = self.operands(0, 4), self.operands(0, 3)
        first = self.find(lambda v: v.ndim > 0 and v.shape[0] <= 17)
        xs = []
        trips = int(self.pick([0, 1, 3, 5]))
        if first is not None and self.chance(0.8):
            trips = self.values[first].shape[0]
            xs = [first] + [self.find(lambda v: v.ndim > 0 and v.shape[0] == trips and v.size <= 2000) for _ in range(self.rng.integers(0, 3))]
            xs = [x for x in xs if x is not None]
        if not carries and not xs:
            return False

        def element(a):
            return np.asarray(a[0]) if trips else np.zeros(a.shape[1:], a.dtype)

        rows = [[row[i] for i in carries] + [element(row[i]) for i in xs] + [row[i] for i in captured] for row in self.shadows]
        maker = self.inner(rows, int(self.rng.integers(1, 10)))
        results = self.matching(maker, [self.values[i] for i in carries])
        results += [maker.find(lambda v: v.size <= 1000) for _ in range(self.rng.integers(0, 3))]
        if any(r is None for r in results):
            return False
        body = Program(len(rows[0]), maker.code, results)
        return self.emit("scan", carries + xs + captured, carries=len(carries), xs=len(xs), trips=trips, reverse=self.chance(0.4), body=body)

    def cond(self):
        index = self.find(lambda v: v.shape == () and v.dtype == np.int32)
        operands = self.operands(1, 4)
        if index is None or not operands:
            return False
        rows = [[row[i] for i in operands] for row in self.shadows]
        makers = [self.inner(rows, int(self.rng.integers(0, 6))) for _ in range(self.rng.integers(1, 4))]
        results = [makers[0].find(lambda v: True) for _ in range(self.rng.integers(1, 4))]
        likes = [makers[0].values[r] for r in results]
        others = [self.matching(m, likes) for m in makers[1:]]
        programs = [Program(len(rows[0]), m.code, r) for m, r in zip(makers, [results, *others]) if None not in r]
        return self.emit("cond", [index, *operands], body=programs[0], others=tuple(programs[1:]))

    def program(self, steps, inputs):
        for _ in range(inputs):
            self.add_input(self.data(self.pick(self.dtypes or DTYPES), self.shape()))
        self.add_input(np.asarray(self.rng.integers(-2, 4), np.int32))
        arity = len(self.values)
        while len(self.code) < steps:
            self.step()
        used = {i for _, operands, _ in self.code for i in operands}
        results = [i for i in range(arity, len(self.values)) if i not in used or self.chance(0.15)]
        results += [int(self.rng.integers(len(self.values))) for _ in range(self.rng.integers(0, 3))]
        return Program(arity, self.code, results or [0])

    def tolerances(self, results):
        """How far each result may be from the oracle's: nothing for whole numbers."""
        limits = []
        for r in results:
            v = self.values[r]
            if self.exact or not is_float(v.dtype) or v.size == 0:
                limits.append(0.0)
                continue
            wide = v.astype(np.float64)
            spread = max(float(np.max(np.abs(row[r].astype(np.float64) - wide))) for row in self.shadows[1:])
            limits.append(8 * spread + 4 * epsilon(v.dtype) * float(np.max(np.abs(wide))))
        return limits


OPERATIONS["literal"] = (lambda value: jnp.asarray(value), lambda value: value)


def make(seed, **options):
    """A random program: (program, inputs, expected results, tolerances). Everything follows from the seed."""
    rng = np.random.default_rng([seed, 7])
    exact = options.pop("exact", seed % 3 != 0)
    few = [DTYPES[int(i)] for i in rng.permutation(len(DTYPES))[: rng.integers(1, 4)]] if rng.random() < 0.7 else None
    if few and rng.random() < 0.5:
        few = list(dict.fromkeys([np.dtype(np.float32), *few]))
    maker = Maker(seed, exact, special=exact and rng.random() < 0.2, dtypes=few, **options)
    steps = options.get("steps") or int(rng.integers(5, 25 if rng.random() < 0.7 else 60))
    program = maker.program(steps, int(rng.integers(1, 6)))
    inputs = maker.values[: program.arity]
    return program, inputs, [maker.values[r] for r in program.results], maker.tolerances(program.results)


def mismatch(results, expected, tolerances):
    """Says how results differ from what is expected; None where they agree."""
    for k, (ours, theirs, limit) in enumerate(zip(results, expected, tolerances)):
        ours = np.asarray(ours)
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            return f"result {k} is {ours.dtype}{ours.shape}, not {theirs.dtype}{theirs.shape}"
        if not is_float(theirs.dtype):
            wrong = ours != theirs
        else:
            a, b = ours.astype(np.float64), theirs.astype(np.float64)
            with np.errstate(all="ignore"):
                wrong = ~((a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= limit))
        if np.any(wrong):
            at = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(wrong)))
            a, b = np.atleast_1d(ours)[at], np.atleast_1d(theirs)[at]
            return f"result {k} {theirs.dtype}{theirs.shape} at {at} is {a}, not {b} (within {limit}); {np.sum(wrong)} of {wrong.size} wrong"
    return None
