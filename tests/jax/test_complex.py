"""Complex numbers: JAX programs against jaxlib's CPU backend, NumPy and identities."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

TREADLE = jax.devices("treadle")[0]
# Around vector widths, in vectors of complex numbers and of their parts.
SIZES = [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 1000]


def normal(rng, *shape, dtype=np.complex64):
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)


@pytest.fixture
def x64():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


# --- arrays ---


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_arrays_come_back(rng, x64, dtype):
    for shape in [(), (1,), (0, 3), (7,), (3, 4, 5)]:
        z = normal(rng, *shape, dtype=dtype)
        placed = jax.device_put(z, TREADLE)
        assert placed.dtype == dtype and placed.shape == shape
        np.testing.assert_array_equal(np.asarray(placed), z)
        np.testing.assert_array_equal(np.asarray(jax.jit(lambda x: x)(placed)), z)


def test_host_layouts(rng):
    z = normal(rng, 6, 8)
    for view in [z.T, z[::2], z[:, ::-1], np.asfortranarray(z), z[1:5, 3:4], np.broadcast_to(z[0], (3, 8))]:
        np.testing.assert_array_equal(np.asarray(jax.device_put(view, TREADLE)), view)
        np.testing.assert_array_equal(np.asarray(jax.device_put(view, TREADLE) * 1j), view * np.complex64(1j))


@pytest.mark.parametrize("size", SIZES)
def test_parts(compare, rng, size):
    z, w = normal(rng, size), normal(rng, size)
    compare(lambda a, b: (a.real, a.imag, jnp.conj(a), lax.complex(a.imag, b.real)), z, w, rtol=0, atol=0)
    compare(lambda a, b: (a + b, a - b, -a, a * b, a / b, abs(a)), z, w, rtol=1e-6, atol=1e-6)
    compare(lambda a: (jnp.angle(a), abs(a), jnp.sign(a), a == a[::-1], a != a[::-1]), z)


def test_a_number_times_its_conjugate_is_real(rng):
    z = jax.device_put(normal(rng, 100), TREADLE)
    for product in (z * jnp.conj(z), jax.jit(lambda z: z * jnp.conj(z))(z)):
        np.testing.assert_array_equal(np.asarray(product).imag, 0)
        np.testing.assert_allclose(np.asarray(product).real, np.abs(np.asarray(z)) ** 2, rtol=1e-6)


def test_in_place(rng):
    z = normal(rng, 1000)
    placed = jax.device_put(z, TREADLE)
    before = placed.unsafe_buffer_pointer()
    result = jax.jit(lambda x: jnp.conj(x) * 2, donate_argnums=0)(placed)
    assert placed.is_deleted() and result.unsafe_buffer_pointer() == before
    np.testing.assert_array_equal(np.asarray(result), np.conj(z) * 2)


def test_eager(rng):
    z = normal(rng, 50)
    with jax.default_device(TREADLE):
        a = jnp.asarray(z)
        np.testing.assert_allclose(a * a + 2j, z * z + np.complex64(2j), rtol=1e-6)
        np.testing.assert_array_equal(jnp.conj(a).imag, -z.imag)
        np.testing.assert_allclose(jnp.abs(a), np.abs(z), rtol=1e-6)
        assert jnp.zeros(3, jnp.complex64)[0] == 0 and complex(a[3]) == complex(z[3])
        np.testing.assert_array_equal(jnp.arange(5).astype(jnp.complex64), np.arange(5).astype(np.complex64))


# --- functions ---

FUNCTIONS = ["exp", "expm1", "log", "log1p", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "square",
             "reciprocal", "sign", "abs", "angle"]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_functions(compare, rng, x64, name, dtype):
    z = normal(rng, 333, dtype=dtype)
    # Near the unit circle jaxlib's logarithms in double precision are less exact than ours.
    eps = (100 if name.startswith("log") else 12) * np.finfo(dtype).eps
    compare(getattr(jnp, name), z, rtol=eps, atol=eps)


def test_powers(compare, rng):
    z, w = normal(rng, 100), normal(rng, 100)
    compare(lambda a, b: (a**b, a**2, a**-3, a**0.5, lax.rsqrt(a), jax.nn.sigmoid(a)), z, w, rtol=5e-6, atol=5e-6)


def test_far_from_one(rng):
    """Results in range are right though squares of the parts are not."""
    big, small = np.array([2e38 - 2e38j, 1e30 + 1e-30j], np.complex64), np.array([3e-38 - 2e-38j, -1e-30j], np.complex64)
    with jax.default_device(TREADLE):
        for z in (big, small):
            wide = z.astype(np.complex128)
            np.testing.assert_allclose(jnp.sign(z), wide / abs(wide), rtol=1e-6)
            np.testing.assert_allclose(jnp.divide(z, z), np.ones(2), rtol=1e-6)
            np.testing.assert_allclose(abs(jax.device_put(z)) / 2, abs(wide) / 2, rtol=1e-6)


SPECIAL = [complex(a, b) for a in (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan)
           for b in (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan)]


def test_special_values_of_division():
    z, w = (np.array(list, np.complex64) for list in zip(*[(a, b) for a in SPECIAL for b in SPECIAL]))
    with jax.default_device(TREADLE), np.errstate(all="ignore"):
        got = np.asarray(jnp.divide(z, w))
        product = np.asarray(jnp.multiply(z, w))
        real = z.real * w.real - z.imag * w.imag
    np.testing.assert_array_equal(product.real, real)
    nan = lambda x: np.isnan(x.real) | np.isnan(x.imag)
    inf = lambda x: np.isinf(x.real) | np.isinf(x.imag)
    zero, finite = w == 0, ~nan(z) & ~inf(z)
    assert np.all(inf(got)[zero & finite & (z != 0)])  # something by nothing
    assert np.all(nan(got)[zero & (z == 0)])
    assert np.all(got[finite & inf(w) & ~nan(w)] == 0)
    assert np.all(nan(got)[inf(z) & inf(w)])
    assert np.all((nan(got) | inf(got))[inf(z) & ~nan(w) & ~inf(w)])
    assert np.all(nan(got)[nan(z) & ~inf(z) & ~zero & ~nan(w)])


def test_where_formulas_break(every_way):
    """As C has it: an infinity outweighs a NaN, branches are cut along the sign of zero, squares of large parts are not in the way."""
    inf, nan = np.inf, np.nan
    c = lambda *values: np.array(values, np.complex64)
    np.testing.assert_array_equal(every_way(abs, c(complex(inf, nan), complex(-inf, nan), complex(nan, inf), complex(nan, -inf), complex(inf, -inf))), np.full(5, inf, np.float32))
    np.testing.assert_allclose(every_way(abs, c(1e30 + 1e30j, -2e38 + 1e38j, 1e-30 + 1e-30j)), [2**0.5 * 1e30, 5**0.5 * 1e38, 2**0.5 * 1e-30], rtol=1e-6)
    cut = c(complex(-1, -0.0), complex(-1, 0.0), complex(-4, -0.0))
    np.testing.assert_allclose(every_way(jnp.log, cut).imag, [-np.pi, np.pi, -np.pi], rtol=1e-6)  # sqrt: JAX's client splits it, and loses the sign
    (grown,) = every_way(jnp.exp, c(complex(inf, 0)))
    assert grown.real == inf and grown.imag == 0
    by_nothing = every_way(lambda z, w: z / w, c(1 + 1j, 1e-5, -1), c(0, 1e-40, complex(0, -0.0)))  # 1e-40 is subnormal: nothing
    assert np.isinf(by_nothing.real[:1]) and np.isinf(abs(by_nothing)).all()
    equal, other = every_way(lambda z: (z == z, z != z), c(complex(nan, 0), complex(0, nan), 1))
    assert equal.tolist() == [False, False, True] and other.tolist() == [True, True, False]


def test_comparisons(compare):
    z, w = (np.array(list, np.complex64) for list in zip(*[(a, b) for a in SPECIAL for b in SPECIAL]))
    compare(lambda a, b: (a == b, a != b, jnp.where(a == b, a.real, b.imag)), z, w, rtol=0, atol=0)


# --- the rest of the language ---


def test_movement(compare, rng):
    z, w, i = normal(rng, 6, 10), normal(rng, 2, 3), np.int32(2)

    def moves(a, b, at):
        return (
            a.T, a[1:5:2, ::-1], jnp.pad(a, ((1, 2), (0, 3)), constant_values=1 + 2j), jnp.concatenate([a, 2 * a], 1),
            jnp.broadcast_to(a[:, None], (6, 4, 10)), a.reshape(3, 20), lax.dynamic_slice(a, (at, at), (2, 5)),
            lax.dynamic_update_slice(a, b, (at, at)), jnp.stack([a, a.conj()], -1), jnp.where(a.real > 0, a, a.conj()),
            lax.optimization_barrier((a, at))[0], lax.iota(jnp.complex64, 5), jnp.tril(a[:, :6]),
        )

    compare(moves, z, w, i, rtol=0, atol=0)


@pytest.mark.parametrize("size", SIZES)
def test_interleaved_results(compare, rng, size):
    """Pairs of reals side by side are stored as complex numbers are."""
    x, y = rng.normal(size=(2, 3, size)).astype(np.float32)
    compare(lambda a, b: (jnp.stack([a * b, a - b], -1), a * b), x, y, rtol=0, atol=0)
    compare(lambda a, b: jnp.stack([a.sum(-1), b[:, :1].sum(-1)], -1), x, y, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("size", [1, 5, 17, 300])
def test_pieces_that_are_computed_with(compare, rng, size):
    """Kernels whose domain is cut where a concatenation or a pad turns still write pairs."""
    z, w = normal(rng, 3, size), normal(rng, 3, size + 2)
    compare(lambda a, b: jnp.concatenate([a, b], 1) * 2j + 1, z, w, rtol=1e-6, atol=1e-6)
    compare(lambda a, b: (jnp.concatenate([a[:2], b[:2, 2:]], 0) * a[0], jnp.pad(a, ((0, 0), (1, 1))) * b), z, w,
            rtol=1e-6, atol=1e-6)


def test_indexing(compare, rng):
    z, i = normal(rng, 9, 5), rng.integers(-2, 9, 7).astype(np.int32)
    compare(lambda a, at: (a[at], a[at, 2], jnp.take(a, at, axis=1, mode="clip"), a.at[at].set(1j), a.at[0].get()), z, i,
            rtol=0, atol=0)
    compare(lambda a, at: (a.at[at].add(a[:7] * 1j), a.at[at, 0].multiply(1 + 1j)), z, i, rtol=1e-5, atol=1e-5)


def test_sort(compare, rng):
    z = (rng.integers(-2, 3, 200) + 1j * rng.integers(-2, 3, 200)).astype(np.complex64)
    z[::50] = np.nan
    compare(lambda a: (jnp.sort(a), jnp.argsort(a), lax.sort((a.real, a, a * 1j), num_keys=1)), z, rtol=0, atol=0)


def test_windows(compare, rng):
    z = normal(rng, 3, 50)
    compare(lambda a: (jnp.cumsum(a, 1), jnp.cumprod(a / abs(a), 0)), z, rtol=1e-4, atol=1e-4)
    compare(lambda a: lax.reduce_window(a, 0j, lax.add, (2, 5), (1, 2), "VALID"), z, rtol=1e-5, atol=1e-5)


def test_constants(compare, rng):
    table = normal(rng, 4, 5)
    compare(lambda a: a * table + jnp.complex64(3 - 4j), normal(rng, 4, 5), rtol=1e-6)
    compare(lambda a: (jnp.full(7, 1j, jnp.complex64), jnp.zeros((2, 0), jnp.complex64), a), normal(rng, 1))


def test_conversions(compare, rng, x64):
    z, x = normal(rng, 20), rng.integers(-5, 5, 20).astype(np.int32)
    compare(lambda a, b: (a.astype(jnp.complex128), b.astype(jnp.complex64), (b > 0).astype(jnp.complex128) * 1j,
                          a.real.astype(jnp.float64), lax.convert_element_type(b.astype(jnp.float16), jnp.complex64)),
            z, x, rtol=0, atol=0)


@pytest.mark.parametrize("shape", [(1, 1), (3, 0), (5, 7), (64, 33), (2, 1000)])
def test_reductions(compare, rng, shape):
    z = normal(rng, *shape)
    tolerance = {"rtol": 1e-5, "atol": 1e-4}
    compare(lambda a: (a.sum(), a.sum(0), a.sum(1), (a * a.conj()).sum(1)), z, **tolerance)
    if z.size:
        compare(lambda a: (a.mean(), jnp.var(a), jnp.linalg.norm(a, axis=1)), z, **tolerance)
        unit = (z / abs(z)).astype(np.complex64)
        compare(lambda a: (jnp.prod(a, 0), jnp.prod(a, 1), (a == a).all(), (a != 0).any(0)), unit, **tolerance)


@pytest.mark.parametrize("m,k,n", [(1, 1, 1), (3, 0, 2), (5, 7, 3), (16, 16, 16), (33, 64, 17), (1, 100, 50)])
def test_products(compare, rng, m, k, n):
    a, b = normal(rng, m, k), normal(rng, k, n)
    tolerance = {"rtol": 1e-5, "atol": 1e-5 * max(k, 1)}
    compare(lambda a, b: (a @ b, jnp.vdot(a, a), a.conj() @ a.T, (2j * a) @ jnp.exp(b)), a, b, **tolerance)
    x = rng.normal(size=(k, n)).astype(np.float32)
    compare(lambda a, x: a @ x, a, x, **tolerance)


def test_einsum(compare, rng):
    a, b = normal(rng, 4, 5, 6), normal(rng, 4, 6, 3)
    compare(lambda a, b: (jnp.einsum("bij,bjk->kbi", a, b), jnp.einsum("bij,bij->b", a, a.conj())), a, b, rtol=1e-5,
            atol=1e-5)
    compare(lambda a, b: jnp.tensordot(a, b, ((2,), (1,))), a, b, rtol=1e-5, atol=1e-5)


def test_products_in_loops(compare, rng):
    """Memory forms made inside of a loop are not those of outside."""
    a = normal(rng, 4, 4) / 4

    def steps(a, b):
        first, _ = lax.scan(lambda c, _: (a @ c + b, None), b, None, length=3)
        return first @ a, a @ a, a

    compare(steps, a, normal(rng, 4, 4), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("k", [1, 5, 16, 40])
def test_products_in_small_loops_have_the_same_bits(rng, k):
    """Loops that become one kernel multiply element by element, in the order of the kernels for products."""
    a, b = normal(rng, 2, k), normal(rng, k, 2)

    def looped(a, b):
        return lax.fori_loop(0, 1, lambda i, c: (a + i) @ (b + i), jnp.zeros((2, 2), jnp.complex64))

    with jax.default_device(TREADLE):
        got, want = np.asarray(jax.jit(looped)(a, b)), np.asarray(jnp.matmul(jnp.asarray(a), b))
    np.testing.assert_array_equal(got.view(np.uint32), want.view(np.uint32))


def test_transposed_products(compare, rng):
    a, b = normal(rng, 20, 30), normal(rng, 20, 40)
    compare(lambda a, b: (a.T @ b, (a.T @ b).T, a.conj().T @ b, b.T @ a, jnp.einsum("ij,ik->kj", a, b)), a, b,
            rtol=1e-5, atol=2e-5)
    compare(lambda v, m: (v @ m, m.T @ v), normal(rng, 300), normal(rng, 300, 500), rtol=1e-4, atol=1e-4)


def test_text_of_the_optimised_program(rng):
    a = jax.device_put(normal(rng, 40, 40), TREADLE)
    assert "c64[40,40]" in jax.jit(lambda x: x @ x + 1).lower(a).compile().as_text()  # of the product


def test_control_flow(compare, rng):
    z = normal(rng, 8)
    compare(lambda a: lax.fori_loop(0, 10, lambda i, c: c * a + i, a), z / 2, rtol=1e-5, atol=1e-5)
    compare(lambda a: lax.scan(lambda c, x: (c * 0.5j + x, c.real), 0j, a), z, rtol=1e-5, atol=1e-5)
    compare(lambda a, n: lax.cond(n > 0, lambda b: b * 1j, lambda b: b.conj(), a), z, np.int32(1))
    compare(lambda a, n: lax.switch(n, [lambda b: b * 1j, jnp.conj, lambda b: b + 1], a), z, np.int32(1))
    compare(lambda a: lax.while_loop(lambda c: abs(c[0]) < 4, lambda c: (c[0] ** 2 + 1.1, c[1] + 1), (a[0], 0)), z,
            rtol=1e-4)


def mandelbrot(re, im, n=30):
    c = lax.complex(re, im)

    def step(_, state):
        z, count = state
        inside = (z * z.conj()).real <= 4
        return jnp.where(inside, z * z + c, z), count + inside

    return lax.fori_loop(0, n, step, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)))[1]


def test_mandelbrot(compare):
    re, im = np.meshgrid(np.linspace(-2, 1, 33, dtype=np.float32), np.linspace(-1.5, 1.5, 31, dtype=np.float32))
    ours = compare(mandelbrot, re, im)
    assert 0 < (ours == 30).sum() < ours.size


def test_polynomial(compare, rng):
    coefficients, z = normal(rng, 9), normal(rng, 40)
    compare(jnp.polyval, coefficients, z, rtol=1e-4, atol=1e-3)
    roots = np.exp(2j * np.pi * np.arange(5) / 5).astype(np.complex64)
    with jax.default_device(TREADLE):
        assert np.abs(jnp.polyval(jnp.array([1, 0, 0, 0, 0, -1], jnp.complex64), roots)).max() < 1e-5


def test_gradients(compare, rng):
    z, w = normal(rng, 6), normal(rng, 6, 6)
    tolerance = {"rtol": 1e-4, "atol": 1e-4}
    compare(jax.grad(lambda a, b: jnp.sum(abs(b @ jnp.tanh(a)) ** 2)), z, w, **tolerance)
    compare(jax.grad(lambda a: jnp.sum(a**3), holomorphic=True), z, **tolerance)
    compare(lambda a: jax.jvp(lambda b: jnp.log(b) * jnp.sin(b), (a,), (a * 1j,)), z, **tolerance)
    compare(jax.grad(lambda x: jnp.sum(abs(jnp.exp(1j * x) - x))), z.real, **tolerance)


def test_vmap(compare, rng):
    a, b = normal(rng, 5, 3, 3), normal(rng, 5, 3)
    compare(jax.vmap(lambda m, v: m @ v / jnp.vdot(v, v)), a, b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("seed", range(12))
def test_random_expressions(compare, seed):
    """Chains of random operations on arrays of awkward sizes, against jaxlib's CPU backend."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 20, rng.integers(0, 4)))
    unary = [jnp.conj, jnp.tanh, lambda z: z * 1j, lambda z: jnp.sqrt(z), lambda z: z / (1 + abs(z)), lambda z: z.T.T,
             lambda z: jnp.flip(z), lambda z: lax.complex(z.imag, z.real), jnp.sin, lambda z: z - z.mean()]
    binary = [jnp.add, jnp.multiply, lambda z, w: jnp.where(z.real > w.imag, z, w), lambda z, w: z / (2 + abs(w))]
    choices = rng.integers(0, 1000, 8)

    def program(*values):
        values = list(values)
        for k, choice in enumerate(choices):
            if k % 2:
                values.append(binary[choice % len(binary)](values[-1], values[choice % len(values)]))
            else:
                values.append(unary[choice % len(unary)](values[choice % len(values)]))
        return values[-3:]

    compare(program, normal(rng, *shape), normal(rng, *shape), rtol=1e-4, atol=1e-4)
