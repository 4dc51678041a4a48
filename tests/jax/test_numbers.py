"""Numbers at their edges: what each operation gives there, op by op, jitted and of constants; against NumPy or written down.

Where integer arithmetic is undefined and where numbers do not fit their new type, the values are those of XLA.
"""
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from conftest import on
from jax import lax

F32 = np.float32
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.fixture
def x64():
    with jax.enable_x64(True):
        yield


# --- Integers ---


def corners(dtype):
    info = np.iinfo(dtype)
    return sorted({v for v in (0, 1, 2, 3, 7, -1, -2, -7, info.max, info.max - 1, info.max // 2, info.min, info.min + 1) if info.min <= v <= info.max})


def wrapped(value, dtype):
    bits = np.iinfo(dtype).bits
    value &= (1 << bits) - 1
    return value - (1 << bits) if np.iinfo(dtype).min and value >> (bits - 1) else value


def quotient(a, b):
    return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


def as_scalars(program, pairs, dtype):
    """The program on one pair after another: in a loop, and each as constants."""
    device = jax.devices("treadle")[0]
    with jax.default_device(device):
        looped = jax.jit(lambda *columns: lax.map(lambda pair: program(*pair), columns))(*(np.array(v, dtype) for v in zip(*pairs)))
        folded = jax.jit(lambda: [program(jnp.asarray(a, dtype), jnp.asarray(b, dtype)) for a, b in pairs])()
    assert [tuple(int(v) for v in row) for row in zip(*map(np.asarray, looped))] == [tuple(int(v) for v in row) for row in folded]
    return [tuple(int(v) for v in row) for row in folded]


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda t: np.dtype(t).name)
def test_integer_division(every_way, x64, dtype):
    """Nothing traps: by zero all ones and the dividend; the least by -1 itself and 0."""
    want = lambda a, b: (wrapped(quotient(a, b), dtype), wrapped(a - b * quotient(a, b), dtype)) if b else (wrapped(-1, dtype), a)
    program = lambda a, b: (lax.div(a, b), lax.rem(a, b))
    pairs = [(a, b) for a in corners(dtype) for b in corners(dtype)]
    for got, expected in zip(every_way(program, *(np.array(v, dtype) for v in zip(*pairs))), zip(*[want(*pair) for pair in pairs])):
        np.testing.assert_array_equal(got, np.array(expected, dtype))
    some = [(a, b) for a, b in pairs if b in (0, -1, 7) and a in (0, 3, -7, np.iinfo(dtype).min, np.iinfo(dtype).max)]
    assert as_scalars(program, some, dtype) == [want(*pair) for pair in some]


@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda t: np.dtype(t).name)
def test_shifts_by_any_amount(every_way, x64, dtype):
    """By the width and more, and by less than nothing: no bits of the number are left."""
    bits = np.iinfo(dtype).bits
    amounts = [s for s in (0, 1, bits - 1, bits, bits + 1, 2 * bits, 127, -1, -bits) if np.iinfo(dtype).min <= s <= np.iinfo(dtype).max]

    def want(a, s):
        s = s if 0 <= s < bits else bits
        unsigned = a & ((1 << bits) - 1)
        signed = unsigned - (1 << bits) if unsigned >> (bits - 1) else unsigned
        return wrapped(a << s, dtype), wrapped(unsigned >> s, dtype), wrapped(signed >> s, dtype)

    program = lambda a, s: (lax.shift_left(a, s), lax.shift_right_logical(a, s), lax.shift_right_arithmetic(a, s))
    pairs = [(a, s) for a in corners(dtype) for s in amounts]
    for got, expected in zip(every_way(program, *(np.array(v, dtype) for v in zip(*pairs))), zip(*[want(*pair) for pair in pairs])):
        np.testing.assert_array_equal(got, np.array(expected, dtype))
    some = [(a, s) for a, s in pairs if a in (1, -1, np.iinfo(dtype).min, np.iinfo(dtype).max) and s in (bits - 1, bits, -1)]
    assert as_scalars(program, some, dtype) == [want(*pair) for pair in some]


def test_any_byte_but_zero_is_true():
    """As for NumPy, which makes such arrays of views."""
    odd = np.tile(np.array([0, 1, 2, 255, 128, 254, 0], np.uint8), 10).view(np.bool_)
    program = lambda x: (x.astype(jnp.int32), jnp.where(x, 5, 7), ~x, x & x[::-1], x ^ x[::-1], x.reshape(10, 7).sum(0), x.reshape(10, 7).all(0), x == True, jnp.sort(x))  # noqa: E712
    true = odd.view(np.uint8) != 0
    want = (true, np.where(true, 5, 7), ~true, true & true[::-1], true ^ true[::-1], true.reshape(10, 7).sum(0), true.reshape(10, 7).all(0), true, np.sort(true))
    for got, expected in zip(on("treadle", program, (odd,)), want):
        np.testing.assert_array_equal(got.astype(int), expected)


# --- Conversions ---

REALS = [0.0, -0.0, 1.5, -1.5, 0.99, -0.99, 127.9, 128, 255.9, 256, 300, -129, -300, 3e9, -3e9, 2**31, -(2**31), 2**32, 2**53, 2**63, -(2**63), 2**64, 1e20, -1e20,
         np.inf, -np.inf, np.nan, -np.nan]


def nearest(x, dtype):
    """Towards zero, and no further than the type goes."""
    if np.isnan(x):
        return 0
    info = np.iinfo(dtype)
    return info.max if x >= info.max else info.min if x <= info.min else int(x)


@pytest.mark.parametrize("source", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16], ids=lambda t: np.dtype(t).name)
def test_reals_to_integers(every_way, x64, source):
    """On their own, within more arithmetic, and one by one in a loop."""
    with np.errstate(over="ignore"):
        x = np.array(REALS * 3, np.float64).astype(source)
    program = lambda x: [x.astype(t) for t in INTEGERS] + [(x * 1).astype(t) + jnp.asarray(0, t) for t in INTEGERS]
    one_by_one = on("treadle", lambda x: lax.map(program, x), (x,))
    for got, looped, dtype in zip(every_way(program, x), one_by_one, INTEGERS * 2):
        expected = np.array([nearest(float(v), dtype) for v in x], dtype)
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(looped, expected)


def test_wide_integers_and_reals(every_way, x64):
    """To the nearest, ties to even; NumPy does the same."""
    near = lambda *centres: [c + d for c in centres for d in (-1025, -1024, -513, -512, -3, -2, -1, 0, 1, 2, 3, 512, 513, 1024, 1025)]
    for dtype, values in ((np.uint64, near(2**24, 2**31, 2**32, 2**53, 2**62, 2**63) + [2**64 - 1, 2**64 - 1024, 2**64 - 1025]),
                          (np.int64, near(2**24, 2**53, 2**62, -(2**24), -(2**53), -(2**62)) + [2**63 - 1, -(2**63)])):
        x = np.array(values * 3, dtype)
        for got, target in zip(every_way(lambda x: [x.astype(t) for t in (np.float32, np.float64)], x), (np.float32, np.float64)):
            np.testing.assert_array_equal(got, x.astype(target))


def test_roundings_on_the_way_stay(every_way, x64, rng):
    """Each conversion rounds, however many follow one another; ties go to even, and a NaN stays one."""
    x = np.concatenate([rng.standard_normal(300), [1 + 2**-8, 1 + 3 * 2**-8, 257, 65519, 65520, np.inf, -np.inf, np.nan]]).astype(F32)
    quiet = np.array([0x7F800001, 0xFF800001, 0x7FFFFFFF, 0x7F80FFFF], np.uint32).view(F32)  # NaNs whose upper half is an infinity's
    x = np.concatenate([x, quiet])
    with np.errstate(over="ignore", invalid="ignore"):
        through = [x.astype(t).astype(F32) for t in (ml_dtypes.bfloat16, np.float16)]
        wide = (x.astype(np.float64) * (1 + 1e-9))
        expected = [*through, wide.astype(F32), wide.astype(np.float16).astype(F32), through[0], through[1]]

    def program(x, wide):
        return (x.astype(jnp.bfloat16).astype(F32), x.astype(jnp.float16).astype(F32), wide.astype(F32), wide.astype(jnp.float16).astype(F32),
                lax.reduce_precision(x, 8, 7), lax.reduce_precision(x, 5, 10))

    for got, want in zip(every_way(program, x, wide), expected):
        np.testing.assert_array_equal(got, want)
    assert np.isnan(every_way(program, x, wide)[0][-len(quiet) :]).all()
    assert every_way(lambda x, y: (x + y) - x, *np.array([256, 1.5], jnp.bfloat16)) == 2


# --- Floating point, strictly ---


@pytest.mark.parametrize("n", [1, 3, 100])
def test_nothing_is_simplified_that_rounds(every_way, n):
    full = lambda v: np.full(n, v, F32)
    sums = every_way(lambda a, b, c: ((a + b) + c, a + (b + c), (a + c) + b, (a + b) - a), full(1e8), full(1), full(-1e8))
    assert [v[0] for v in sums] == [0, 0, 1, 0]
    infinite = every_way(lambda x: (x - x, x * 0, x / x, x != x, 0 / (x * 0)), full(np.inf))
    assert all(np.isnan(infinite[k]).all() for k in (0, 1, 2, 4)) and not infinite[3].any()
    assert every_way(lambda z: jnp.isnan(z / z), full(0)).all()
    assert np.isnan(every_way(lambda a, b: jnp.exp(a) * jnp.exp(b), full(200), full(-200))).all()


def test_nan_is_seen(every_way):
    x = np.array([1, np.nan, 3, -np.inf, np.inf], F32)
    cleaned, some, own, signs = every_way(lambda x: (jnp.nan_to_num(x), jnp.nanmean(x[:3]), x != x, jnp.nan_to_num(x, nan=5, posinf=6, neginf=7)), x)
    np.testing.assert_array_equal(cleaned, np.nan_to_num(x))
    assert some == 2 and own.tolist() == [False, True, False, False, False]
    np.testing.assert_array_equal(signs, np.array([1, 5, 3, 7, 6], F32))


@pytest.mark.parametrize("n", [1, 100])
def test_signs_of_zeros(every_way, n):
    program = lambda z: [jnp.signbit(v) for v in (jnp.power(z, 0.5), jnp.sqrt(z), jnp.sqrt(z) * jnp.sqrt(z), z + 0.0, z * 1, z - 0.0, 0.0 - z, -z, 1 / z, 0.0 - (-z), z + z,
                                                  lax.max(z, z), jnp.abs(z), z * -1.0, z / -1.0)]
    minus = [v.all() for v in every_way(program, np.full(n, -0.0, F32))]
    assert minus == [False, True, False, False, True, True, False, False, True, False, True, True, False, False, False]
    plus = [v.any() for v in every_way(program, np.full(n, 0.0, F32))]
    assert plus == [False, False, False, False, False, False, False, True, False, False, False, False, False, True, True]


# --- Subnormal numbers: arithmetic takes them for zeros, what moves them does not ---


@pytest.mark.parametrize("n", [1, 7, 200_000])
def test_arithmetic_on_subnormal_numbers(every_way, n):
    """On helping threads as on the first one."""
    x = np.full(n, 1e-45, F32)
    zero, same, nan, low = every_way(lambda x: (x == 0, x + 0 == 0, jnp.isnan(-jnp.inf * x), jnp.log(x) == -jnp.inf), x)
    assert zero.all() and same.all() and nan.all() and low.all()
    assert not every_way(lambda x: x * F32(1e-30), np.full(n, 1e-10, F32)).any()


def test_moved_subnormal_numbers_keep_their_bits(every_way):
    bits = np.array([1, 0x80000001, 0x007FFFFF, 0x00400000, 5], np.uint32)
    x, i = bits.view(F32), np.array([4, 0, 2], np.int32)
    np.testing.assert_array_equal(np.asarray(jax.device_put(x, jax.devices("treadle")[0])).view(np.uint32), bits)

    def program(x, i):
        moved = x, x[1:4], x[::-1], x[i], jnp.concatenate([x, x]), x.reshape(5, 1).T, jnp.where(i[0] > 0, x, x * 0), lax.dynamic_slice(x, (i[2],), (2,)), x.at[i].set(x[:3])
        return [lax.bitcast_convert_type(m, jnp.uint32) for m in moved] + [lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.int32), F32)]

    expected = [bits, bits[1:4], bits[::-1], bits[i], np.tile(bits, 2), bits[None], bits, bits[2:4], bits.copy()]
    expected[-1][i] = bits[:3]
    *moved, there_and_back = every_way(program, x, i)
    for got, want in zip(moved, expected):
        np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(there_and_back.view(np.uint32), bits)


def test_the_callers_arithmetic_is_left_alone():
    """NumPy in the thread that called still knows subnormal numbers."""
    device = jax.devices("treadle")[0]
    f = jax.jit(lambda x: (jnp.sort(x) @ x, jnp.exp(x).sum()))
    for n in (8, 100_000):
        jax.block_until_ready(f(jax.device_put(np.ones(n, F32), device)))
        assert (np.full(5, 1e-45, F32) * F32(1)).all() and np.float64(5e-324) * 1 != 0
