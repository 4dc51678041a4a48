"""What operations of lax mean, in NumPy. Floats are computed in double precision and rounded once."""
import functools

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
OPERATIONS["literal"] = (lambda value: jnp.asarray(value), lambda value: value)
for _name, _fn in COMPARE.items():
    OPERATIONS["compare_" + _name] = (getattr(lax, _name), _fn)

INEXACT = {"exp", "expm1", "log", "log1p", "tanh", "sin", "cos", "sqrt", "rsqrt", "cbrt", "logistic", "pow", "atan2"}
ROUNDS = INEXACT | {"add", "sub", "mul", "div", "sum", "prod", "cumsum", "dot", "convert"}
