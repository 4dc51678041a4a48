"""Linear algebra: identities, NumPy in double precision and jaxlib's CPU backend."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

TREADLE = jax.devices("treadle")[0]
DTYPES = [np.float32, np.float64, np.complex64, np.complex128]
SIZES = [1, 2, 3, 8, 17, 64, 130]


@pytest.fixture(autouse=True)
def x64():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def normal(rng, *shape, dtype=np.float32):
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def positive(rng, *shape, dtype=np.float32):
    a = normal(rng, *shape, dtype=dtype).astype(np.complex128 if np.dtype(dtype).kind == "c" else np.float64)
    return (a @ np.conj(np.swapaxes(a, -1, -2)) + shape[-1] * np.eye(shape[-1])).astype(dtype)


def ours(fn, *args):
    return jax.tree.map(np.asarray, jax.jit(fn)(*jax.device_put(args, TREADLE)))


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def close(a, b, dtype, scale=1.0):
    """Within a modest number of rounding errors of the larger one's length."""
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    wide = np.complex128
    error = np.linalg.norm((a.astype(wide) - b.astype(wide)).ravel())
    assert error <= 50 * scale * np.finfo(dtype).eps * max(np.linalg.norm(b.astype(wide).ravel()), 1e-30), error


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES + [300])
def test_cholesky(rng, dtype, n):
    for batch in [(), (9,)] if n < 100 else [()]:
        a = positive(rng, *batch, n, n, dtype=dtype)
        factor = ours(jnp.linalg.cholesky, a)
        assert factor.dtype == dtype and (np.triu(factor, 1) == 0).all()
        close(factor @ adjoint(factor), a, dtype)
        close(ours(lambda x: jnp.linalg.cholesky(x, upper=True), a), adjoint(factor), dtype)


def test_cholesky_of_what_has_none(compare, rng):
    for a in [-np.eye(4, dtype=np.float32), np.full((3, 3), np.nan, np.float32), np.zeros((5, 5), np.float32)]:
        compare(jnp.linalg.cholesky, a)
    many = np.stack([positive(rng, 6, 6), -np.eye(6, dtype=np.float32), positive(rng, 6, 6)])
    got = compare(jnp.linalg.cholesky, many, rtol=1e-4, atol=1e-4)
    assert np.isfinite(got[[0, 2]]).all() and np.isnan(got[1][np.tril_indices(6)]).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_triangular_solve(rng, dtype, n):
    a = normal(rng, 2, n, n, dtype=dtype) + (4 + n) * np.eye(n, dtype=dtype)
    for left in [True, False]:
        for lower in [True, False]:
            for form in range(6):
                transpose, conjugate, unit = [(False, False, False), (True, False, False), (True, True, False),
                                              (False, False, True), (True, False, True), (True, True, True)][form]
                b = normal(rng, 2, n, 5, dtype=dtype) if left else normal(rng, 2, 5, n, dtype=dtype)
                scaled = a / (n if unit else 1)
                x = ours(lambda a, b: lax.linalg.triangular_solve(a, b, left_side=left, lower=lower, transpose_a=transpose,
                                                                  conjugate_a=conjugate, unit_diagonal=unit), scaled, b)
                m = np.tril(scaled) if lower else np.triu(scaled)
                if unit:
                    m = m - m * np.eye(n) + np.eye(n)
                m = np.swapaxes(m, -1, -2) if transpose else m
                m = np.conj(m) if conjugate else m
                close(m @ x if left else x @ m, b, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (5, 3), (3, 5), (33, 33), (130, 130), (2, 8, 8), (9, 4, 4), (300, 40)])
def test_lu(rng, dtype, shape):
    a = normal(rng, *shape, dtype=dtype)
    lu = jax.scipy.linalg.lu if len(shape) == 2 else jax.vmap(jax.scipy.linalg.lu)
    p, l, u = ours(lu, a)
    close(p @ l @ u, a, dtype)
    assert np.abs(l).max() <= 1.5
    _, pivots, permutation = ours(lax.linalg.lu, a)
    again = ours(lambda x: lax.linalg.lu_pivots_to_permutation(x, shape[-2]), pivots)
    np.testing.assert_array_equal(again, permutation)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_solve_and_inverse(rng, dtype, n):
    a = normal(rng, n, n, dtype=dtype) + n * np.eye(n, dtype=dtype)
    b = normal(rng, n, 3, dtype=dtype)
    close(a @ ours(jnp.linalg.solve, a, b), b, dtype)
    close(a @ ours(jnp.linalg.solve, a, b[:, 0]), b[:, 0], dtype)
    close(a @ ours(jnp.linalg.inv, a), np.eye(n), dtype)
    if n < 60:
        close(ours(jnp.linalg.det, a), np.linalg.det(a.astype(np.complex128)), dtype)
    sign, log = ours(jnp.linalg.slogdet, a)
    np.testing.assert_allclose(log, np.linalg.slogdet(a.astype(np.complex128))[1], rtol=1e-4)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (5, 3), (3, 5), (33, 33), (130, 130), (2, 8, 8), (9, 4, 3), (300, 40)])
def test_qr(rng, dtype, shape):
    a = normal(rng, *shape, dtype=dtype)
    for mode in ["reduced", "complete"]:
        q, r = ours(lambda x: tuple(jnp.linalg.qr(x, mode=mode)), a)
        close(q @ r, a, dtype)
        close(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), adjoint(q).shape[:-1] + q.shape[-1:]), dtype)
        assert (np.tril(r, -1) == 0).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 5, 16, 40])
def test_eigh(rng, dtype, n):
    a = normal(rng, n, n, dtype=dtype)
    a = (a + adjoint(a)) / 2
    w, v = ours(lambda x: tuple(jnp.linalg.eigh(x)), a)
    close(v @ (w[:, None] * adjoint(v)), a, dtype, 4)
    close(adjoint(v) @ v, np.eye(n), dtype, 4)
    assert (np.diff(w) >= 0).all()
    close(w, np.linalg.eigvalsh(a.astype(np.complex128)), dtype, 4)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (7, 3), (3, 7), (20, 20), (70, 45)])
def test_svd(rng, dtype, shape):
    a = normal(rng, *shape, dtype=dtype)
    for full in [False, True]:
        u, s, vh = ours(lambda x: tuple(jnp.linalg.svd(x, full_matrices=full)), a)
        k = min(shape)
        close(u[:, :k] * s @ vh[:k], a, dtype, 4)
        close(adjoint(u) @ u, np.eye(u.shape[1]), dtype, 4)
        close(vh @ adjoint(vh), np.eye(vh.shape[0]), dtype, 4)
    close(ours(lambda x: jnp.linalg.svd(x, compute_uv=False), a), np.linalg.svd(a.astype(np.complex128), compute_uv=False), dtype, 4)


def test_many_svds(compare, rng):
    """Under vmap and differentiated; bits do not depend on how many there are."""
    a = normal(rng, 3, 5, 6, 4)
    u, s, vh = ours(lambda x: tuple(jnp.linalg.svd(x, full_matrices=False)), a)
    np.testing.assert_allclose((u * s[..., None, :]) @ vh, a, rtol=1e-4, atol=1e-5)
    one = ours(lambda x: tuple(jax.vmap(jax.vmap(lambda y: jnp.linalg.svd(y, full_matrices=False)))(x)), a)
    for x, y in zip(one, (u, s, vh)):
        np.testing.assert_array_equal(x, y)
    compare(jax.grad(lambda x: jnp.sum(jnp.linalg.svd(x, compute_uv=False) ** 3)), a[0, 0], rtol=1e-3, atol=1e-4)
    compare(lambda x: jnp.linalg.matrix_rank(x), a, rtol=0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_tridiagonal_systems(rng, dtype):
    """Rows change places where pivots are small; under vmap."""
    below, diagonal, above, b = (normal(rng, *shape, dtype=dtype) for shape in [(4, 9), (4, 9), (4, 9), (4, 9, 3)])
    diagonal[:, ::2] *= 0.01
    dense = np.zeros((4, 9, 9), dtype)
    for i in range(9):
        dense[:, i, i] = diagonal[:, i]
        if i > 0:
            dense[:, i, i - 1], dense[:, i - 1, i] = below[:, i], above[:, i - 1]
    for solve in (jax.lax.linalg.tridiagonal_solve, jax.vmap(jax.lax.linalg.tridiagonal_solve)):
        x = ours(solve, below, diagonal, above, b)
        residual = np.linalg.norm(dense.astype(np.complex128) @ x - b, axis=(1, 2))
        assert (residual <= 20 * np.finfo(dtype).eps * np.linalg.norm(dense, axis=(1, 2)) * np.linalg.norm(x, axis=(1, 2))).all()


def test_eigenvectors_of_tridiagonal_matrices(rng):
    d, e = normal(rng, 12), normal(rng, 11)
    w, v = ours(lambda d, e: jax.scipy.linalg.eigh_tridiagonal(d, e), d, e)
    dense = np.diag(d) + np.diag(e, 1) + np.diag(e, -1)
    np.testing.assert_allclose(dense @ v, v * w, atol=2e-5)


def test_least_squares(rng):
    a, b = normal(rng, 12, 4), normal(rng, 12)
    x = ours(lambda a, b: jnp.linalg.lstsq(a, b)[0], a, b)
    np.testing.assert_allclose(x, np.linalg.lstsq(a.astype(np.float64), b.astype(np.float64))[0], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(ours(jnp.linalg.pinv, a), np.linalg.pinv(a.astype(np.float64)), rtol=1e-3, atol=1e-4)


def test_gradients(compare, rng):
    a, b = positive(rng, 6, 6), normal(rng, 6, 2)
    compare(jax.grad(lambda a: jnp.linalg.slogdet(a)[1]), a, rtol=1e-3, atol=1e-4)
    compare(jax.grad(lambda a: jnp.sum(jnp.linalg.cholesky(a) ** 2)), a, rtol=1e-3, atol=1e-4)
    compare(jax.grad(lambda a, b: jnp.sum(jnp.linalg.solve(a, b) ** 2)), a, b, rtol=1e-3, atol=1e-4)


def test_nothing(rng):
    for shape in [(0, 0), (2, 0, 0), (0, 3, 3)]:
        a = np.zeros(shape, np.float32)
        assert ours(jnp.linalg.cholesky, a).shape == shape
        assert ours(jnp.linalg.inv, a).shape == shape
        assert ours(lambda x: jnp.linalg.qr(x)[0], a).shape == shape
        assert ours(jnp.linalg.solve, a, a).shape == shape
        for part in (lambda x: tuple(jnp.linalg.eigh(x)), jnp.linalg.svd):
            for got, want in zip(ours(part, a), jax.eval_shape(part, a)):
                assert got.shape == want.shape


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("everywhere", [True, False])
def test_what_is_no_number_comes_back_as_none(value, everywhere):
    """And it does come back: no iteration waits for what cannot converge."""
    a = np.full((3, 3), value, np.float32) if everywhere else np.ones((3, 3), np.float32)
    a[1, 1] = value
    w, v = ours(lambda x: tuple(jnp.linalg.eigh(x)), a)
    assert np.isnan(w).all() and np.isnan(v).all()
    s = ours(lambda x: jnp.linalg.svd(x, compute_uv=False), a)
    assert not np.isfinite(s).all()
    u, s, vh = ours(jnp.linalg.svd, a)
    assert not np.isfinite(u @ np.diag(s) @ vh).all()
    q, r = ours(lambda x: tuple(jnp.linalg.qr(x)), a)
    assert not np.isfinite(q @ r).all()
    assert np.isnan(ours(jnp.linalg.cholesky, a)[np.tril_indices(3)]).any()
    assert not np.isfinite(ours(jnp.linalg.solve, a, np.ones(3, np.float32))).all()


def test_ten_thousand_small_ones(rng):
    a, b = normal(rng, 10_000, 3, 3) + 3 * np.eye(3, dtype=np.float32), normal(rng, 10_000, 3)
    symmetric = positive(rng, 10_000, 3, 3)
    x, inverse, (q, r) = ours(lambda a, b: (jnp.linalg.solve(a, b[..., None])[..., 0], jnp.linalg.inv(a), tuple(jnp.linalg.qr(a))), a, b)
    size = lambda v: np.linalg.norm(v, axis=(-2, -1)) if v.ndim == 3 else np.linalg.norm(v, axis=-1)
    # Each by itself: a few are nearly singular.
    condition = np.linalg.cond(a.astype(np.float64))
    exact = np.linalg.solve(a.astype(np.float64), b[..., None].astype(np.float64))[..., 0]
    assert (size(x - exact) <= 2e-6 * condition * size(exact)).all()
    assert (size(inverse - np.linalg.inv(a.astype(np.float64))) <= 2e-6 * condition * size(inverse)).all()
    assert (size(q @ r - a) <= 2e-6 * size(a)).all()
    factor, (w, v) = ours(lambda a: (jnp.linalg.cholesky(a), tuple(jnp.linalg.eigh(a))), symmetric)
    assert (size(factor - np.linalg.cholesky(symmetric.astype(np.float64))) <= 1e-5 * size(factor)).all()
    assert (size(w - np.linalg.eigvalsh(symmetric.astype(np.float64))) <= 2e-6 * size(w)).all()
    assert (size(v @ (w[..., None] * adjoint(v)) - symmetric) <= 4e-6 * size(symmetric)).all()


def test_half_precision(rng):
    a = positive(rng, 5, 5).astype(jnp.bfloat16)
    b = normal(rng, 5, 2).astype(jnp.bfloat16)
    x = ours(lambda a, b: lax.linalg.triangular_solve(a.astype(jnp.float32), b.astype(jnp.float32), left_side=True, lower=True), a, b)
    close(np.tril(a.astype(np.float32)) @ x, b.astype(np.float32), np.float32)
