"""Loops that become one kernel, and their neighbours that do not: carries of all kinds, reads and writes in place, branches."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import on, run_text
from jax import lax

F32 = np.float32


def test_branch_inside_a_scan(compare, rng):
    def step(c, t):
        c = lax.cond(t > 0, lambda c: c * 1.5 + t, lambda c: c - t, c)
        return c, c * 2

    compare(lambda x: lax.scan(step, F32(1), x), rng.standard_normal(60).astype(F32), rtol=1e-5)


@pytest.mark.parametrize("selector", [-2, 0, 3, 9])
def test_switch_inside_a_loop(compare, selector):
    branches = [lambda c: c + 1, lambda c: c * 0.5, lambda c: -c, jnp.sin]
    compare(lambda s, x: lax.fori_loop(0, 20, lambda k, c: lax.switch(s + k % 3, branches, c), x), np.int32(selector), F32(0.3), rtol=1e-5)


def test_predicate_as_carry(compare):
    compare(lambda x: lax.while_loop(lambda c: c[0], lambda c: (jnp.abs(c[1]) > 1e-3, c[1] * 0.7, c[2] + 1),
                                     (jnp.bool_(True), x, jnp.int32(0))), F32(100))


def test_newton_until_it_converges(compare):
    def body(c):
        x, i = c
        return x - (x * x * x - 27.3) / (3 * x * x), i + 1

    compare(lambda a: lax.while_loop(lambda c: (jnp.abs(c[0] ** 3 - 27.3) > 1e-3) & (c[1] < 100), body, (a, 0)), F32(27), rtol=1e-4)


def test_large_carry_is_updated_in_place(compare, rng):
    def twice(i, c):
        v = lax.dynamic_index_in_dim(c, i, keepdims=False)
        return lax.dynamic_update_index_in_dim(c, v * 2 + 1, i, 0)

    def prefix(i, c):  # reads what the last iteration wrote
        v = lax.dynamic_index_in_dim(c, i - 1, keepdims=False) + lax.dynamic_index_in_dim(c, i, keepdims=False)
        return lax.dynamic_update_index_in_dim(c, v, i, 0)

    def stale(i, c):  # needs what stood there before
        new = lax.dynamic_update_index_in_dim(c, c[i] + 1, i + 1, 0)
        return lax.dynamic_update_index_in_dim(new, c[i + 1], i, 0)

    x = rng.standard_normal(1000).astype(F32)
    for body in (twice, prefix, stale):
        compare(lambda x, body=body: lax.fori_loop(1, 900, body, x), x, rtol=1e-4, atol=1e-4)
    compare(lambda x: (lax.fori_loop(1, 900, prefix, x), x), x, rtol=1e-4, atol=1e-4)  # the start is needed afterwards


def test_two_stacks_of_one_start(compare, rng):
    def step(c, x):
        a, b = c
        a2, b2 = jnp.tanh(a + x[0] * b), jnp.where(x[1] > 0, b * 0.5 + a, b - a)
        return (a2, b2), (a2, b2, jnp.stack([a2, b2]))

    compare(lambda xs: lax.scan(step, (F32(0), F32(1)), xs), rng.standard_normal((80, 2)).astype(F32), rtol=1e-4, atol=1e-5)


def test_scan_inside_a_scan(compare, rng):
    def outer(c, a, y):
        d, ys = lax.scan(lambda d, b: (d * 0.9 + a * b, d), c, y)
        return d, ys.sum()

    compare(lambda x, y: lax.scan(lambda c, a: outer(c, a, y), F32(0.5), x), rng.standard_normal(30).astype(F32),
            rng.standard_normal(20).astype(F32), rtol=1e-4, atol=1e-5)


def test_small_matrices(compare, rng):
    transition, observed = (rng.standard_normal((3, 3)) * 0.3).astype(F32), rng.standard_normal((1, 3)).astype(F32)

    def filter_step(c, z):
        x, p = c
        x, p = transition @ x, transition @ p @ transition.T + 0.1 * jnp.eye(3)
        gain = p @ observed.T / (observed @ p @ observed.T + 0.5)
        return (x + gain @ (z - observed @ x), p - gain @ observed @ p), x[0]

    compare(lambda zs: lax.scan(filter_step, (jnp.zeros(3), jnp.eye(3)), zs)[1], rng.standard_normal((200, 1)).astype(F32), rtol=1e-3, atol=1e-4)
    compare(lambda m: lax.fori_loop(0, 5, lambda i, c: (c @ m) / jnp.linalg.norm(c), m), rng.standard_normal((4, 4)).astype(F32), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "bfloat16", "float16"])
def test_narrow_carries(compare, dtype):
    is_float = jnp.issubdtype(dtype, jnp.floating)
    factor, term, start = jnp.asarray(1.01 if is_float else 3, dtype), jnp.asarray(7, dtype), jnp.asarray(5, dtype)
    ours = compare(lambda x: lax.fori_loop(0, 40, lambda i, c: c * factor + term, x), start, rtol=0.02 if is_float else 0)
    # jaxlib keeps more bits between the operations; NumPy rounds after each, as we do.
    want, factor, term = np.asarray(start), np.asarray(factor), np.asarray(term)
    with np.errstate(over="ignore"):
        for _ in range(40):
            want = (want * factor + term).astype(want.dtype)
    assert ours == want


@pytest.mark.parametrize("start", [-(2**31), -12345, -1, 0, 97, 2**31 - 1])
def test_floor_division_and_remainder(compare, start):
    compare(lambda a: lax.fori_loop(0, 60, lambda i, c: (c // 3 - i) * 2 + c % 7 - (c // 8) % 16 + c % 1000003, a), np.int32(start))
    compare(lambda a, b: lax.while_loop(lambda c: c[1] != 0, lambda c: (c[1], c[0] % c[1]), (a, b)), np.int32(start), np.int32(16632))


def test_trips_none_and_unknown(compare):
    compare(lambda x: lax.fori_loop(0, 0, lambda i, c: c + 1, x), F32(2))
    compare(lambda n: lax.fori_loop(0, n, lambda i, c: (c[1], c[0] + c[1]), (jnp.uint32(0), jnp.uint32(1))), np.int32(40))
    compare(lambda n: lax.fori_loop(0, n, lambda i, c: c * 2, F32(1)), np.int32(-3))


def test_blocks_of_a_padded_array():
    """The row that padding adds is zeros whatever the memory held before."""
    device = jax.devices("treadle")[0]

    def program(x):
        x = jnp.pad(x, ((0, 1), (0, 0)))

        def block(i):
            rows = lax.dynamic_slice(x, (19 * i, 0), (23, 4))
            return lax.scan(lambda c, j: (c, lax.dynamic_slice(rows, (0, 2 * j), (23, 2))), 0, jnp.arange(2))[1]

        return lax.scan(lambda c, i: (c, block(i)), 0, jnp.arange(3))[1]

    x = np.arange(1, 241, dtype=F32).reshape(60, 4)
    padded = np.concatenate([x, np.zeros((1, 4), F32)])
    expected = np.stack([[padded[19 * i : 19 * i + 23, 2 * j : 2 * j + 2] for j in range(2)] for i in range(3)])
    placed, run = jax.device_put(x, device), jax.jit(program)
    for _ in range(100):
        poison = [jax.device_put(np.full(n, np.nan, F32), device) for n in (244, 276, 92, 240)]
        del poison
        np.testing.assert_array_equal(run(placed), expected)


def test_shift_register(compare, rng):
    x = rng.standard_normal(50).astype(F32)
    for n in (1, 50):
        got = compare(lambda x: lax.fori_loop(0, 7, lambda i, c: (c[2] * 0.5 + i, c[0], c[1]), (x, x + 1, x + 2)), x[:n])
        a, b, c = x[:n], x[:n] + 1, x[:n] + 2
        for i in range(7):
            a, b, c = c * F32(0.5) + i, a, b
        for ours, want in zip(got, (a, b, c)):
            np.testing.assert_array_equal(ours, want)


CASE = """func.func public @main(%at: tensor<i32>, %x: tensor<3xi32>, %y: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %c = stablehlo.constant dense<[7, 8, 9]> : tensor<3xi32>
  %0:2 = "stablehlo.case"(%at) ({
    stablehlo.return %x, %x : tensor<3xi32>, tensor<3xi32>
  }, {
    stablehlo.return %c, %x : tensor<3xi32>, tensor<3xi32>
  }, {
    stablehlo.return %y, %c : tensor<3xi32>, tensor<3xi32>
  }) : (tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3xi32>, tensor<3xi32>
}"""


@pytest.mark.parametrize("at", [-(2**31), -1, 0, 1, 2, 3, 2**31 - 1])
def test_branches_that_give_what_they_see(at):
    """Constants, arguments, one twice; whatever is out of range takes the last branch."""
    x, y, c = np.arange(3, dtype=np.int32), np.arange(3, dtype=np.int32) * -5, np.array([7, 8, 9], np.int32)
    want = [(x, x), (c, x), (y, c)][at if 0 <= at < 3 else 2]
    for text, args in ((CASE, (np.int32(at), x, y)),
                       (CASE.replace("%at: tensor<i32>, ", "").replace("  %c =", f"  %at = stablehlo.constant dense<{at}> : tensor<i32>\n  %c =", 1), (x, y))):
        for got, expected in zip(run_text(text, *args), want):
            np.testing.assert_array_equal(got, expected)


def test_scans_of_nothing_and_in_depth(compare, rng):
    x = rng.standard_normal((3, 4, 5)).astype(F32)
    step = lambda c, v: (jnp.tanh(c * 0.9 + v), c)
    compare(lambda x: lax.scan(step, F32(1), x[0, 0][:0]), x)
    compare(lambda x: lax.scan(lambda c, _: (c * 2, c), x, None, length=0), x)
    compare(lambda x: lax.scan(lambda c, _: (c * 2, c), x, None, length=3), x)
    nested = lambda x, **options: lax.scan(lambda c, m: lax.scan(lambda c, r: lax.scan(step, c, r, **options), c, m), F32(0.5), x)
    compare(nested, x, rtol=1e-5)
    compare(lambda x: nested(x, reverse=True), x, rtol=1e-5)
    compare(lambda x: nested(x[:, :, :0]), x)


def test_unrolled_scans_are_the_same(rng):
    x = rng.standard_normal((11, 6)).astype(F32)
    run = lambda **options: on("treadle", lambda x: lax.scan(lambda c, v: (jnp.tanh(c * 0.9 + v), c * 2), jnp.zeros(6), x, **options), (x,))
    for options in ({"unroll": 4}, {"unroll": 11}, {"unroll": True}, {"unroll": 4, "reverse": True}):
        plain = run(reverse="reverse" in options)
        for a, b in zip(run(**options), plain):
            assert a.tobytes() == b.tobytes()


def test_gradient_of_a_scan_with_many_carries(compare, rng):
    def loss(start, x):
        return sum(lax.scan(lambda c, v: ([jnp.sin(a) * 0.9 + v * (k % 3) for k, a in enumerate(c[-1:] + c[:-1])], None), start, x)[0])

    start = list(rng.standard_normal(80).astype(F32))
    compare(jax.grad(loss), start, rng.standard_normal(6).astype(F32), rtol=1e-4, atol=1e-5)


# Loops of pointwise maps, which become maps of loops.


def escape_times(c, trips=30):
    def step(_, s):
        x, y, count = s
        inside = x * x + y * y < 4
        return jnp.where(inside, x * x - y * y + c, x), jnp.where(inside, 2 * x * y + 0.3, y), count + inside

    return lax.fori_loop(0, trips, step, (jnp.zeros_like(c), jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)))


def lorenz(s, trips=50):
    def step(_, s):
        x, y, z = s
        return x + 0.005 * 10 * (y - x), y + 0.005 * (x * (28 - z) - y), z + 0.005 * (x * y - z * 8 / 3)

    return lax.fori_loop(0, trips, step, s)


def newton(a, trips=20):
    return lax.fori_loop(0, trips, lambda i, x: x - (x * x * x - a) / (3 * x * x), a)


def shuffled(x, trips=20):
    return lax.fori_loop(0, trips, lambda i, x: (x ^ (x << 13)) + (x >> 7) * i.astype(x.dtype), x)


@pytest.mark.parametrize("n", [1, 16, 17, 33, 64, 1000])
@pytest.mark.parametrize("trips", [0, 1, 30])
def test_loop_of_a_map(compare, rng, n, trips):
    x = rng.standard_normal(n).astype(F32)
    compare(lambda c: lax.fori_loop(0, trips, lambda i, z: z * z * 0.5 + c, jnp.zeros_like(c)), x * F32(0.3), rtol=1e-4, atol=1e-5)
    compare(lambda c: escape_times(c, trips)[2], (x * 4).round() / 4)
    compare(lambda s: lorenz(s, trips), (x, x + 1, x + 20), rtol=1e-3, atol=1e-3)
    compare(lambda a: newton(a, trips), abs(x) + 1, rtol=1e-5)
    compare(lambda v: shuffled(v, trips), rng.integers(0, 2**32, n).astype(np.uint32))


def test_loop_of_a_map_over_complex_numbers(compare, rng):
    c = (rng.uniform(-0.2, 0.2, (40, 30)) + 1j * rng.uniform(-0.2, 0.2, (40, 30))).astype(np.complex64)  # which stay small
    compare(lambda c: lax.fori_loop(0, 20, lambda i, z: z * z + c, jnp.zeros_like(c)), c, rtol=1e-3, atol=1e-4)


def test_escape_times_of_the_mandelbrot_set(compare):
    """Chaotic: one rounding more or less in a product, and some points escape a round earlier."""
    x = np.linspace(-2, 0.5, 256)[None] + 1j * np.linspace(-1.2, 1.2, 256)[:, None]

    def times(c):
        def step(_, carry):
            z, n = carry
            z = jnp.where(jnp.abs(z) < 2, z * z + c, z)
            return z, n + (jnp.abs(z) < 2)
        return lax.fori_loop(0, 100, step, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)))[1]

    compare(times, x.astype(np.complex64), rtol=0, atol=0)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "int8", "uint16", "int32", "bool"])
def test_loop_of_a_map_over_types(compare, rng, dtype):
    x = jnp.asarray(rng.integers(0, 2, 100) if dtype == "bool" else rng.integers(-5 if dtype[0] != "u" else 0, 5, 100), dtype)
    step = (lambda i, c: c ^ (i % 3 == 0)) if dtype == "bool" else (lambda i, c: c * 2 - x)
    compare(lambda x: lax.fori_loop(0, 6, step, x), np.asarray(x))


def test_loop_of_a_map_reads_rows_and_scalars(compare, rng):
    x, row = rng.standard_normal((50, 40)).astype(F32), rng.standard_normal(40).astype(F32)
    column, noise = rng.standard_normal((50, 1)).astype(F32), rng.standard_normal((40, 50)).astype(F32)

    def body(c):
        i, t, a, b = c
        return i + 1, t * F32(0.9), b * F32(0.5) + row * t + noise.T, a - column * t + i  # a and b swap places

    run = lambda n, x: lax.while_loop(lambda c: c[0] < n, body, (jnp.int32(0), F32(1), x, x * 2))
    for n in (-1, 0, 1, 7, 8):
        compare(run, np.int32(n), x, rtol=1e-4, atol=1e-5)
        compare(lambda n, x: run(n, x)[2], np.int32(n), x, rtol=1e-4, atol=1e-5)


def test_loop_of_a_map_until_a_scalar_says_so(compare, rng):
    x = rng.standard_normal(300).astype(F32)
    compare(lambda x, t: lax.while_loop(lambda c: c[2], lambda c: (c[0] * c[1] + 1, c[1] * 0.6, c[1] > 1e-2), (x, t, t > 0)), x, F32(5), rtol=1e-5)
    compare(lambda x, t: lax.while_loop(lambda c: c[1] > 1e-3, lambda c: (c[0] * c[1] + 1, c[1] * 0.6), (x, t)), x, F32(5), rtol=1e-5)


def test_loops_that_arrays_end_are_no_maps(compare, rng):
    x = abs(rng.standard_normal(300)).astype(F32)
    compare(lambda x: lax.while_loop(lambda c: c.sum() < 1e4, lambda c: c * 2 + 1, x), x, rtol=1e-4)
    compare(lambda x: lax.while_loop(lambda c: c[1] < 100, lambda c: (c[0] * 2 + 1, c[0].max()), (x, F32(0))), x, rtol=1e-5)
    compare(jax.vmap(lambda x: lax.while_loop(lambda c: c < 100, lambda c: c * 2 + 1, x)), x, rtol=1e-5)


def test_loop_of_a_map_in_donated_memory(rng):
    a, b = rng.standard_normal((2, 5000)).astype(F32)
    step = jax.jit(lambda s: lax.fori_loop(0, 3, lambda i, s: (s[1], s[0] + s[1] * 0.5), s), donate_argnums=0)
    kept = jax.jit(lambda s: lax.fori_loop(0, 3, lambda i, s: (s[1], s[0] + s[1] * 0.5), s))
    device = jax.devices("treadle")[0]
    want = kept(jax.device_put((a, b), device))
    got = step(jax.device_put((a, b), device))
    for ours, theirs in zip(got, want):
        assert np.asarray(ours).tobytes() == np.asarray(theirs).tobytes()


def test_bits_of_maps_of_loops_are_those_of_steps(rng):
    """A reduction that changes nothing keeps the loop from becoming one kernel."""

    def bits(fn, state, trips):
        def stepwise(state):  # the sum of zeros, which no compiler knows
            def body(c):
                i, nothing, s = c
                leaf = jax.tree.leaves(s)[0]
                return i + 1, (leaf != leaf).sum(), fn(i, s)

            return lax.while_loop(lambda c: c[0] < trips, body, (0, 0, state))[1:]

        steps = on("treadle", stepwise, (state,))[1]
        whole = on("treadle", lambda s: lax.fori_loop(0, trips, fn, s), (state,))
        for a, b in zip(jax.tree.leaves(steps), jax.tree.leaves(whole)):
            assert a.tobytes() == b.tobytes()

    x = rng.standard_normal(777).astype(F32)
    bits(lambda i, s: (jnp.sin(s[0]) * s[1] + i, jnp.tanh(s[0] - s[1])), (x, x * 2), 9)
    bits(lambda i, s: (jnp.exp(-s[0] * s[0]) / (1 + jnp.abs(s[0])) ** 1.5, s[1] * 3 + i), (x, np.arange(777, dtype=np.int32)), 9)
    half = jnp.asarray(x, jnp.bfloat16)
    bits(lambda i, s: (s[0] * s[0] - s[1].astype(jnp.bfloat16), s[1] * 0.9 + s[0].astype(jnp.float32)), (np.asarray(half), x), 9)


def test_gradient_of_a_loop(compare, rng):
    def loss(w, x):
        return lax.scan(lambda c, t: (jnp.tanh(c * w[0] + t * w[1]), None), F32(0), x)[0]

    compare(jax.grad(loss), np.array([0.5, 0.3], F32), rng.standard_normal(50).astype(F32), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 16, 20, 31, 32, 33, 48, 64])
def test_bits_are_those_outside_of_loops(rng, n):
    def same(fn, *args):
        inside = lambda *a: lax.fori_loop(0, 1, lambda i, c: jnp.asarray(fn(*a), F32), jnp.zeros(jax.eval_shape(fn, *a).shape, F32))
        outside, looped = on("treadle", lambda *a: jnp.asarray(fn(*a), F32), args), on("treadle", inside, args)
        assert outside.tobytes() == looped.tobytes()

    x, rows = rng.standard_normal(n).astype(F32), rng.standard_normal((3, n)).astype(F32)
    for reduction in (jnp.sum, jnp.prod, jnp.max, jnp.argmax):
        same(reduction, x)
    for axis in (0, 1):
        same(lambda r, axis=axis: r.sum(axis), rows)
        same(lambda r, axis=axis: r.sum(axis), rows.T.copy())
    same(lambda a, b: a @ b, rows[:1], rows[:1].T.copy())
    same(lambda a, b: a @ b, rows[:, :4], rows.T[:4].copy())
