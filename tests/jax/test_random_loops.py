"""Random integer loops: fori_loop, while_loop and scan over carries of several types and shapes, equal to jaxlib's bit by bit."""
import random

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

SHAPES = [(), (), (3,), (5,), (2, 3), (20,), (200,)]
TYPES = [np.int32, np.int32, np.uint32, np.int8, np.uint8, np.int16]


def ones(a):
    return jnp.ones_like(a)


class Expressions:
    """Random expressions over `values`; the same for the same random state."""

    def __init__(self, source, values):
        self.source, self.values = source, values

    def leaf(self, shape, dtype):
        value, kind = self.source.choice(self.values), self.source.random()
        if kind < 0.25:
            signed = np.issubdtype(dtype, np.signedinteger)
            return jnp.full(shape, self.source.choice([0, 1, 2, 3, 7, 100, -1 if signed else 200]), dtype)
        if value.shape == shape:
            return value.astype(dtype)
        if value.ndim > 0:
            value = [value.reshape(-1)[self.source.randrange(value.size)], value.astype(np.int32).sum(), jnp.max(value)][int(kind * 3)]
        return jnp.broadcast_to(value.astype(dtype), shape)

    def make(self, shape, dtype, depth):
        if depth == 0 or self.source.random() < 0.15:
            return self.leaf(shape, dtype)
        a, b = self.make(shape, dtype, depth - 1), self.make(shape, dtype, depth - 1)
        small = b & jnp.full_like(b, 7)
        choices = [
            lambda: a + b, lambda: a - b, lambda: a * b, lambda: a & b, lambda: a ^ b,
            lambda: a // jnp.where(b == 0, ones(b), b),
            lambda: a % (small | ones(b)),
            lambda: lax.shift_left(a, small),
            lambda: lax.shift_right_arithmetic(a, small),
            lambda: jnp.where(a < b, a, b + ones(b)),
            lambda: jnp.maximum(a, b),
            lambda: self.window(a, b) if len(shape) == 1 else lax.cond(a.reshape(-1)[0] > b.reshape(-1)[0], lambda: a + b, lambda: a - b),
            lambda: a[::-1] if shape else -a,
            lambda: jnp.concatenate([a[1:], b[:1]]) if shape else ~a,
        ]
        return self.source.choice(choices)()

    def window(self, a, b):
        index = self.source.choice([v for v in self.values if v.ndim == 0]).astype(np.int32)
        return lax.dynamic_update_slice(a, lax.dynamic_slice(b, (index % a.size,), (1,)), ((index + 1) % a.size,))


@pytest.mark.parametrize("seed", range(24))
def test_random_loop(compare, seed):
    source = random.Random(seed)
    carries = [(source.choice(SHAPES), source.choice(TYPES)) for _ in range(source.randint(1, 4))]
    trips, body_seed = source.randint(0, 12), source.random()

    def body(i, c):
        inner = random.Random(body_seed)
        expressions = Expressions(inner, [*c, jnp.int32(i)])
        return tuple(expressions.make(shape, dtype, inner.randint(0, 3)) for shape, dtype in carries)

    loops = [
        lambda *c: lax.fori_loop(0, trips, body, c),
        lambda *c: lax.while_loop(lambda s: (s[0] < trips) & (s[1][0].reshape(-1)[0] != 42), lambda s: (s[0] + 1, body(*s)), (jnp.int32(0), c)),
        lambda *c: lax.scan(lambda c, x: (body(x, c), (c[0], x)), c, jnp.arange(trips, dtype=np.int32)),
    ]
    rng = np.random.default_rng(seed)
    compare(loops[seed % 3], *(np.asarray(rng.integers(0, 100, shape)).astype(dtype) for shape, dtype in carries))
