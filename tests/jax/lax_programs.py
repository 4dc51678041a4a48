"""Programs of lax operations as data: they run by JAX and by NumPy, and can be printed and cut down."""
import dataclasses
import warnings

import numpy as np
from jax import lax

from lax_operations import OPERATIONS


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
