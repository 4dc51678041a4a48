"""Python in the middle of a program: debug.print, debug.callback, pure_callback, io_callback, checkify."""
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import checkify, io_callback


@pytest.fixture(autouse=True)
def treadle():
    with jax.default_device(jax.devices("treadle")[0]):
        yield


def test_pure_callback_gives_its_result():
    def f(x):
        y = jax.pure_callback(lambda a: np.sin(a), jax.ShapeDtypeStruct(x.shape, x.dtype), x + 1)
        return y * 2

    x = jnp.arange(6, dtype=jnp.float32).reshape(2, 3)
    np.testing.assert_allclose(jax.jit(f)(x), 2 * np.sin(np.asarray(x) + 1), rtol=1e-6)
    np.testing.assert_allclose(f(x), 2 * np.sin(np.asarray(x) + 1), rtol=1e-6)


def test_several_operands_and_results():
    def host(a, b, c):
        return (a + b).astype(np.int32), ~c, np.float32(b.sum())

    shapes = (jax.ShapeDtypeStruct((4,), jnp.int32), jax.ShapeDtypeStruct((2, 2), jnp.bool_), jax.ShapeDtypeStruct((), jnp.float32))
    a, b, c = jnp.arange(4), jnp.array(2.5, jnp.float32), jnp.array([[True, False], [False, True]])
    total, turned, summed = jax.jit(lambda *args: jax.pure_callback(host, shapes, *args))(a, b, c)
    np.testing.assert_array_equal(total, [2, 3, 4, 5])
    np.testing.assert_array_equal(turned, ~np.asarray(c))
    assert summed == 2.5


def test_no_operands_and_empty_arrays():
    f = jax.jit(lambda: jax.pure_callback(lambda: np.float32(7), jax.ShapeDtypeStruct((), jnp.float32)))
    assert f() == 7
    g = jax.jit(lambda x: jax.pure_callback(lambda a: a, jax.ShapeDtypeStruct((0, 3), jnp.float32), x))
    assert g(jnp.zeros((0, 3))).shape == (0, 3)


def test_in_a_loop_in_order():
    seen = []

    def body(i, total):
        io_callback(lambda n: seen.append(int(n)), None, i, ordered=True)
        return total + i

    assert jax.jit(lambda: lax.fori_loop(0, 10, body, 0))() == 45
    jax.effects_barrier()
    assert seen == list(range(10))


def test_loop_that_the_host_ends():
    left = [3, 2, 1, 0]

    def more(state):
        return state[1] > 0

    def step(state):
        count, _ = state
        return count + 1, io_callback(lambda: np.int32(left.pop(0)), jax.ShapeDtypeStruct((), jnp.int32), ordered=True)

    count, last = jax.jit(lambda: lax.while_loop(more, step, (0, jnp.int32(1))))()
    assert (int(count), int(last), left) == (4, 0, [])


def test_in_one_branch_only():
    calls = []
    f = jax.jit(lambda p, x: lax.cond(p, lambda: jax.debug.callback(calls.append, x) or x + 1, lambda: x - 1))
    assert f(False, 1.0) == 0
    jax.effects_barrier()
    assert calls == []
    assert f(True, 1.0) == 2
    jax.effects_barrier()
    assert calls == [1]


def test_debug_print(capsys):
    @jax.jit
    def f(x):
        jax.debug.print("x is {x}, {n:d} elements", x=x, n=x.size)
        return x + 1

    f(jnp.arange(3)).block_until_ready()
    jax.effects_barrier()
    assert capsys.readouterr().out == "x is [0 1 2], 3 elements\n"


def test_ordered_prints(capsys):
    @jax.jit
    def f():
        jax.debug.print("first", ordered=True)
        lax.fori_loop(0, 3, lambda i, _: jax.debug.print("{i}", i=i, ordered=True), None)
        jax.debug.print("last", ordered=True)

    f()
    jax.effects_barrier()
    assert capsys.readouterr().out.split() == ["first", "0", "1", "2", "last"]


def test_two_kinds_in_a_long_loop():
    seen = []

    def step(state):
        i, x = state
        jax.debug.callback(lambda n: seen.append(int(n)), i)
        return i + 1, jax.pure_callback(lambda a: np.asarray(jnp.asarray(a) + 1), jax.ShapeDtypeStruct((), jnp.float32), x)

    f = jax.jit(lambda x: lax.while_loop(lambda state: state[0] < 100, step, (0, x)))
    for _ in range(5):
        assert f(jnp.float32(0))[1] == 100
    jax.effects_barrier()
    assert sorted(seen) == sorted(list(range(100)) * 5)


def test_under_vmap_and_grad():
    seen = []

    def f(x):
        jax.debug.callback(lambda a: seen.append(float(a)), x)
        return jnp.sin(x)

    np.testing.assert_allclose(jax.vmap(jax.grad(f))(jnp.array([0.0, 1.0])), np.cos([0.0, 1.0]), rtol=1e-6)
    jax.effects_barrier()
    assert sorted(seen) == [0.0, 1.0]


def test_errors_reach_the_caller_and_the_client_lives_on():
    def fail(a):
        raise ValueError("not today")

    f = jax.jit(lambda x: jax.pure_callback(fail, jax.ShapeDtypeStruct((2,), jnp.float32), x))
    with pytest.raises(Exception, match="not today"):
        f(jnp.ones(2)).block_until_ready()
    assert jnp.ones(2).sum() == 2


def test_callbacks_may_run_programs_on_the_same_device():
    def host(a):
        return np.asarray(jax.jit(lambda b: (b @ b).sum())(jnp.asarray(a)))

    x = jnp.ones((600, 600), jnp.float32)  # more than is computed at once, on the calling thread
    f = jax.jit(lambda x: jax.pure_callback(host, jax.ShapeDtypeStruct((), jnp.float32), x) + (x @ x).sum())
    assert f(x) == 2 * 600.0**3


def test_many_at_once():
    f = jax.jit(lambda x: jax.pure_callback(lambda a: a + 1, jax.ShapeDtypeStruct((), jnp.int32), x))
    wrong = []

    def run(first):
        values = [f(jnp.int32(first + i)) for i in range(20)]
        wrong.extend(i for i, v in enumerate(values) if int(v) != first + i + 1)

    threads = [threading.Thread(target=run, args=(100 * t,)) for t in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_donated_argument():
    f = jax.jit(lambda x: x + jax.pure_callback(lambda a: a * 0, jax.ShapeDtypeStruct((1000,), jnp.float32), x), donate_argnums=0)
    np.testing.assert_array_equal(f(jnp.ones(1000)), np.ones(1000))


def test_checkify_without_discharge():
    def f(x):
        checkify.check(x > 0, "x must be positive, got {x}", x=x)
        return jnp.log(x)

    error, _ = checkify.checkify(jax.jit(f))(-1.0)
    assert "must be positive" in error.get()
