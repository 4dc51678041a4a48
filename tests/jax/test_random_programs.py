"""Random programs against NumPy: whole numbers exactly, rounding ones within what rounding explains."""
import warnings

import jax
import numpy as np
import pytest

import random_programs
from lax_programs import run_jax


def run(program, inputs, rng):
    """Some inputs are constants of the program, some arguments are given up."""
    constant = [i for i in range(program.arity) if rng.random() < 0.15]
    arguments = [i for i in range(program.arity) if i not in constant]
    donated = tuple(k for k in range(len(arguments)) if rng.random() < 0.15)

    def fn(*args):
        values = [inputs[i] if i in constant else None for i in range(program.arity)]
        for i, arg in zip(arguments, args):
            values[i] = arg
        return run_jax(program, [jax.numpy.asarray(v) for v in values])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # donations without use
        return jax.jit(fn, donate_argnums=donated)(*(jax.device_put(inputs[i]) for i in arguments))


@pytest.mark.parametrize("first", range(0, 60, 6))
def test_random_programs(first):
    with jax.enable_x64(True), jax.default_device(jax.devices("treadle")[0]):
        for seed in range(first, first + 6):
            program, inputs, expected, tolerances = random_programs.make(seed)
            results = run(program, inputs, np.random.default_rng(seed))
            problem = random_programs.mismatch(results, expected, tolerances)
            assert problem is None, f"seed {seed}: {problem}\n{program}"
