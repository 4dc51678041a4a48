"""Matrix products of all kinds."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

TOLERANCE = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 1e-2}


def matrix(rng, shape, dtype):
    if np.dtype(dtype).kind in "iu":
        return rng.integers(-9 if np.dtype(dtype).kind == "i" else 0, 9, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("m,k,n", [(1, 1, 1), (3, 5, 7), (64, 64, 64), (1, 768, 30), (100, 33, 65), (257, 129, 31), (16, 1000, 1), (512, 300, 200)])
def test_matmul(compare, rng, m, k, n):
    compare(lambda a, b: a @ b, matrix(rng, (m, k), np.float32), matrix(rng, (k, n), np.float32), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, jnp.bfloat16, np.int8, np.int32, np.uint8, np.int16])
def test_types(compare, rng, dtype):
    tolerance = TOLERANCE.get(np.dtype(dtype).name, 0)
    compare(lambda a, b: a @ b, matrix(rng, (33, 70), dtype), matrix(rng, (70, 45), dtype), rtol=tolerance, atol=10 * tolerance)


def test_preferred_types(compare, rng):
    a, b = matrix(rng, (17, 40), np.int8), matrix(rng, (40, 9), np.int8)
    compare(lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32), a, b)
    a, b = matrix(rng, (17, 40), jnp.bfloat16), matrix(rng, (40, 9), jnp.bfloat16)
    compare(lambda x, y: lax.dot(x, y, preferred_element_type=jnp.float32), a, b, rtol=1e-4, atol=1e-4)


def test_the_type_of_the_sum(every_way, rng):
    hundred = np.array([[100]], np.int8)
    narrow, wide = every_way(lambda a, b: (a @ b, lax.dot(a, b, preferred_element_type=jnp.int32)), hundred, hundred)
    assert narrow.dtype == np.int8 and narrow == 16 and wide == 10000
    # Terms that a sum in bf16 would not see.
    a, b = np.ones((1, 4096), jnp.bfloat16), np.full((4096, 2), 1 / 256, jnp.bfloat16)
    np.testing.assert_array_equal(every_way(lambda a, b: lax.dot(a, b, preferred_element_type=jnp.float32), a, b), np.full((1, 2), 16, np.float32))
    np.testing.assert_array_equal(every_way(lambda a, b: a @ b, a, b).astype(np.float32), np.full((1, 2), 16, np.float32))
    with jax.enable_x64(True):
        a, b = matrix(rng, (7, 300), np.float32), matrix(rng, (300, 5), np.float32)
        got = every_way(lambda a, b: lax.dot(a, b, preferred_element_type=jnp.float64), a, b)
        assert got.dtype == np.float64
        np.testing.assert_allclose(got, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("spec,shapes", [
    ("ij,jk->ik", [(5, 6), (6, 7)]), ("ij,kj->ik", [(5, 6), (7, 6)]), ("ji,jk->ik", [(6, 5), (6, 7)]), ("ij,ij->", [(5, 6), (5, 6)]),
    ("bij,bjk->bik", [(3, 5, 6), (3, 6, 7)]), ("bhqd,bhkd->bhqk", [(2, 3, 8, 16), (2, 3, 9, 16)]), ("bqhd,bkhd->bhqk", [(2, 8, 3, 16), (2, 9, 3, 16)]),
    ("i,j->ij", [(5,), (6,)]), ("i,i->", [(50,), (50,)]), ("ij,j->i", [(50, 60), (60,)]), ("abcd,cdef->abef", [(2, 3, 4, 5), (4, 5, 6, 2)]),
    ("abc,cad->bd", [(4, 5, 6), (6, 4, 3)]), ("ij,kl->ijkl", [(2, 3), (4, 5)]), ("bij,jk->bik", [(3, 5, 6), (6, 7)]), ("ijb,jkb->ikb", [(5, 6, 3), (6, 7, 3)])])
def test_einsum(compare, rng, spec, shapes):
    compare(lambda *a: jnp.einsum(spec, *a), *[matrix(rng, s, np.float32) for s in shapes], rtol=1e-4, atol=1e-4)


def test_attention(compare, rng):
    q, k, v = (matrix(rng, (2, 3, 17, 8), np.float32) for _ in range(3))
    compare(lambda q, k, v: jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k) / 8**0.5, -1) @ v, q, k, v, rtol=1e-4, atol=1e-5)


def test_mlp_gradient(compare, rng):
    params = [(matrix(rng, (12, 32), np.float32), np.zeros(32, np.float32)), (matrix(rng, (32, 3), np.float32), np.zeros(3, np.float32))]
    x, y = matrix(rng, (20, 12), np.float32), rng.integers(0, 3, 20).astype(np.int32)

    def loss(params, x, y):
        for w, b in params[:-1]:
            x = jax.nn.relu(x @ w + b)
        z = x @ params[-1][0] + params[-1][1]
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(z) * jax.nn.one_hot(y, 3), -1))

    compare(jax.value_and_grad(loss), params, x, y, rtol=1e-4, atol=1e-5)
