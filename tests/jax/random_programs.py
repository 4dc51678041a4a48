"""Random programs of lax operations, each evaluated by NumPy while it is made.

While one is made every value is known, so that only operations enter whose results say something: in an exact program
floats are small whole numbers and every result must be equal; in a rounding program two shadows of each value carry
random rounding errors, and the distance between them is the tolerance of the result.
"""
import warnings

import ml_dtypes
import numpy as np

from lax_operations import BOOL, COMPARE, DTYPES, INEXACT, LARGEST_EXACT, OPERATIONS, ROUNDS, SIGNED, SIZES, UNSIGNED, epsilon, is_float, is_int
from lax_programs import CONTROL, Program


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
