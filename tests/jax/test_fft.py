"""Fourier transforms: against NumPy in double precision and jaxlib's CPU backend."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

TREADLE = jax.devices("treadle")[0]
LENGTHS = [1, 2, 3, 4, 5, 7, 8, 12, 16, 30, 31, 32, 64, 96, 100, 127, 128, 360, 512, 1000, 1009, 1024, 4096]


@pytest.fixture
def x64():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def normal(rng, *shape, dtype=np.complex64):
    if np.dtype(dtype).kind == "f":
        return rng.normal(size=shape).astype(dtype)
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)


def ours(fn, *args):
    return np.asarray(jax.jit(fn)(*jax.device_put(args, TREADLE)))


def close(got, expected, n):
    """Within a few rounding errors for every doubling of the length, in the mean."""
    unit = np.finfo(got.dtype).eps
    assert got.shape == expected.shape
    error, length = np.linalg.norm((got - expected).ravel()), np.linalg.norm(expected.ravel())
    assert error <= unit * (1 + np.log2(n)) * length, (error / length, n)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("single", [True, False])
def test_one_dimension(rng, x64, n, single):
    real, cplx = (np.float32, np.complex64) if single else (np.float64, np.complex128)
    for batch in [(), (1,), (7,), (2, 9)]:
        z, x = normal(rng, *batch, n, dtype=cplx), normal(rng, *batch, n, dtype=real)
        half = normal(rng, *batch, n // 2 + 1, dtype=cplx)
        wide = lambda a: a.astype(np.complex128)
        assert ours(jnp.fft.fft, z).dtype == cplx and ours(jnp.fft.rfft, x).dtype == cplx
        close(ours(jnp.fft.fft, z), np.fft.fft(wide(z)), n)
        close(ours(jnp.fft.ifft, z), np.fft.ifft(wide(z)), n)
        close(ours(jnp.fft.rfft, x), np.fft.rfft(x.astype(np.float64)), n)
        close(ours(lambda h: jnp.fft.irfft(h, n), half), np.fft.irfft(wide(half), n), n)
        close(ours(lambda a: jnp.fft.irfft(jnp.fft.rfft(a), n), x), x, n)


@pytest.mark.parametrize("shape", [(6, 5), (16, 16), (3, 32, 20), (2, 8, 12, 9), (64, 128), (1, 4, 1, 6)])
def test_several_dimensions(rng, shape):
    z, x = normal(rng, *shape), normal(rng, *shape, dtype=np.float32)
    for axes in [(-2, -1), tuple(range(max(0, len(shape) - 3), len(shape))), (0,), (0, -1)]:
        close(ours(lambda a: jnp.fft.fftn(a, axes=axes), z), np.fft.fftn(z.astype(np.complex128), axes=axes), z.size)
        close(ours(lambda a: jnp.fft.ifftn(a, axes=axes), z), np.fft.ifftn(z.astype(np.complex128), axes=axes), z.size)
        close(ours(lambda a: jnp.fft.rfftn(a, axes=axes), x), np.fft.rfftn(x.astype(np.float64), axes=axes), z.size)
        sizes = [shape[a] for a in axes]
        half = np.fft.rfftn(x.astype(np.float64), axes=axes).astype(np.complex64)
        close(ours(lambda a: jnp.fft.irfftn(a, sizes, axes=axes), half), x.astype(np.float64), z.size)


@pytest.mark.parametrize("n", [1 << 16, 1 << 17, 3 << 15, 100003])
def test_long(rng, n):
    z, x = normal(rng, 2, n), normal(rng, n, dtype=np.float32)
    close(ours(jnp.fft.fft, z), np.fft.fft(z.astype(np.complex128)), n)
    close(ours(jnp.fft.rfft, x), np.fft.rfft(x.astype(np.float64)), n)
    close(ours(lambda a: jnp.fft.irfft(jnp.fft.rfft(a), n), x), x, n)


def test_like_jaxlib(compare, rng):
    z, x = normal(rng, 5, 48), normal(rng, 5, 48, dtype=np.float32)
    compare(lambda a: (jnp.fft.fft(a, axis=0), jnp.fft.ifft2(a), jnp.fft.fftshift(jnp.fft.fft(a))), z, rtol=1e-5, atol=1e-5)
    compare(lambda a: (jnp.abs(jnp.fft.rfft(a)), jnp.fft.rfft(a, 100), jnp.fft.hfft(a[0].astype(jnp.complex64))), x,
            rtol=1e-5, atol=1e-4)
    # Imaginary parts that would have to be 0 do not count.
    compare(lambda a: (jnp.fft.irfft(a), jnp.fft.irfft(a, 31), jnp.fft.irfft2(a)), z, rtol=1e-5, atol=1e-5)
    compare(jax.grad(lambda a: jnp.sum(jnp.abs(jnp.fft.rfft(a)) ** 2)), x, rtol=1e-4, atol=1e-3)
    compare(lambda a: lax.fori_loop(0, 3, lambda i, v: jnp.fft.ifft(jnp.fft.fft(v) * 2), a), z, rtol=1e-5, atol=1e-4)


def test_nothing(compare):
    compare(lambda a: (jnp.fft.fft(a), jnp.fft.ifft(a, axis=1)), np.zeros((0, 4), np.complex64))
    compare(lambda a: jnp.fft.rfft(a), np.zeros((3, 0, 4), np.float32))


def test_infinities_stay_in_their_row(rng):
    z = normal(rng, 16, 32)
    z[3, 5] = np.inf
    got = ours(jnp.fft.fft, z)
    assert not np.isfinite(got[3]).any() and np.isfinite(np.delete(got, 3, 0)).all()
