"""Operations that JAX's client never sends: legacy ones, batch normalisation, CHLO, shapes as operands; as texts through `treadle run`."""

import numpy as np
import pytest

from run_text import run_text

NAMES = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "complex64": "complex<f32>", "complex128": "complex<f64>"}


def tensor(array):
    return "tensor<" + "".join(f"{d}x" for d in array.shape) + NAMES[str(array.dtype)] + ">"


def run(folder, body, results, *arguments):
    """Results of the function with this body, whose arguments are %0, %1, ...; `results`: their types."""
    signature = ", ".join(f"%{i}: {tensor(a)}" for i, a in enumerate(arguments))
    text = f"func.func @main({signature}) -> ({', '.join(results)}) {{\n{body}\n}}"
    return run_text(folder, text, arguments, len(results))


@pytest.fixture
def rng():
    return np.random.default_rng(0)


# --- bits ---


def test_bits_of_booleans(tmp_path, rng):
    numbers = rng.integers(-2**31, 2**31, 5).astype(np.int32)
    body = """
      %bits = stablehlo.bitcast_convert %0 : (tensor<5xi32>) -> tensor<5x32xi1>
      %flags = stablehlo.convert %bits : (tensor<5x32xi1>) -> tensor<5x32xi32>
      %whole = stablehlo.bitcast_convert %bits : (tensor<5x32xi1>) -> tensor<5xi32>
      return %flags, %whole : tensor<5x32xi32>, tensor<5xi32>"""
    flags, whole = run(tmp_path, body, ["tensor<5x32xi32>", "tensor<5xi32>"], numbers)
    np.testing.assert_array_equal(flags, (numbers[:, None] >> np.arange(32)) & 1)
    np.testing.assert_array_equal(whole, numbers)


def test_bits_of_complex_numbers(tmp_path, rng):
    z = (rng.normal(size=3) + 1j * rng.normal(size=3)).astype(np.complex128)
    body = """
      %halves = stablehlo.bitcast_convert %0 : (tensor<3xcomplex<f64>>) -> tensor<3x2xcomplex<f32>>
      %again = stablehlo.bitcast_convert %halves : (tensor<3x2xcomplex<f32>>) -> tensor<3xcomplex<f64>>
      return %halves, %again : tensor<3x2xcomplex<f32>>, tensor<3xcomplex<f64>>"""
    halves, again = run(tmp_path, body, ["tensor<3x2xcomplex<f32>>", "tensor<3xcomplex<f64>>"], z)
    np.testing.assert_array_equal(halves.view(np.int32), z.view(np.complex64).reshape(3, 2).view(np.int32))
    np.testing.assert_array_equal(again, z)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_powers_of_two_as_floats(tmp_path, dtype):
    """f8E8M0FNU: the nearest, a half goes up; NaN for what is not positive."""
    expected = {1: 127, 0.1: 124, 3.14: 129, 3: 129, 2.9: 128, 2.0**-127: 0, 2.0**-128: 0, 1.6 * 2.0**-127: 1, 2.0**127: 254,
                1.5 * 2.0**127: 255, 0: 255, -1: 255, np.inf: 255, np.nan: 255, 2.0**-126: 1}
    x = np.array(list(expected), dtype)
    n = len(x)
    body = f"""
      %narrow = stablehlo.convert %0 : ({tensor(x)}) -> tensor<{n}xf8E8M0FNU>
      %bits = stablehlo.bitcast_convert %narrow : (tensor<{n}xf8E8M0FNU>) -> tensor<{n}xui8>
      %codes = stablehlo.convert %bits : (tensor<{n}xui8>) -> tensor<{n}xi32>
      %wide = stablehlo.convert %narrow : (tensor<{n}xf8E8M0FNU>) -> tensor<{n}xf64>
      return %codes, %wide : tensor<{n}xi32>, tensor<{n}xf64>"""
    codes, wide = run(tmp_path, body, [f"tensor<{n}xi32>", f"tensor<{n}xf64>"], x)
    np.testing.assert_array_equal(codes, list(expected.values()))
    np.testing.assert_array_equal(wide, [np.nan if code == 255 else 2.0 ** (code - 127) for code in expected.values()])


# --- the order of sums ---


def test_short_suffixes_are_summed_from_their_first_element(tmp_path, rng):
    x = rng.normal(size=(9, 3)).astype(np.float32)
    body = """
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %sums = "stablehlo.reduce_window"(%0, %zero) <{padding = dense<[[0, 8], [0, 0]]> : tensor<2x2xi64>,
          window_dimensions = array<i64: 9, 1>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %c = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %c : tensor<f32>
      }) : (tensor<9x3xf32>, tensor<f32>) -> tensor<9x3xf32>
      return %sums : tensor<9x3xf32>"""
    expected = np.stack([np.cumsum(x[i:], axis=0, dtype=np.float32)[-1] for i in range(9)])
    np.testing.assert_array_equal(run(tmp_path, body, ["tensor<9x3xf32>"], x)[0], expected)


def test_small_complex_products_round_every_step(tmp_path, rng):
    a, b = ((rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(np.complex64) for shape in [(2, 3, 5), (5, 2, 4)])
    body = """
      %r = stablehlo.dot_general %0, %1, batching_dims = [0] x [1], contracting_dims = [2] x [0]
          : (tensor<2x3x5xcomplex<f32>>, tensor<5x2x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>
      return %r : tensor<2x3x4xcomplex<f32>>"""
    expected = np.zeros((2, 3, 4), np.complex64)
    for k in range(5):
        x, y = a[:, :, k, None], b[k][:, None, :]
        re, im = x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real
        expected = (expected.real + re) + 1j * (expected.imag + im)
    np.testing.assert_array_equal(run(tmp_path, body, ["tensor<2x3x4xcomplex<f32>>"], a, b)[0], expected.astype(np.complex64))


# --- functions ---


def apply(folder, name, *arguments):
    types = [tensor(a) for a in arguments]
    names = ", ".join(f"%{i}" for i in range(len(arguments)))
    body = f'%r = "chlo.{name}"({names}) : ({", ".join(types)}) -> {types[0]}\nreturn %r : {types[0]}'
    return run(folder, body, [types[0]], *arguments)[0]


def within(got, expected, units, floor=0.0):
    """Within so many units in the last place of the larger of the value and `floor`."""
    expected = np.asarray(expected, dtype=np.float64)
    size = np.maximum(np.abs(expected), floor)
    exact = (got == expected) | (np.isinf(got) & (size > np.finfo(got.dtype).max)) | (np.isnan(got) & np.isnan(expected)) | (size < np.finfo(got.dtype).tiny)
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(got.astype(np.float64) - expected) / (np.finfo(got.dtype).eps * size)
    worst = np.argmax(np.where(exact, 0, error))
    assert (exact | (error <= units)).all(), (worst, got[worst], expected[worst])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_special_functions(tmp_path, rng, dtype):
    scipy = pytest.importorskip("scipy.special")
    units = 2 if dtype == np.float32 else 200
    x = np.concatenate([rng.uniform(-20, 20, 500), rng.uniform(-1, 1, 100), [0.0, 8.0, -8.0, 100.0, 1e5]]).astype(dtype)
    wide = x.astype(np.float64)
    within(apply(tmp_path, "bessel_i1e", x), scipy.i1e(wide), units)
    positive = np.abs(x) + dtype(0.01)
    within(apply(tmp_path, "lgamma", positive), scipy.gammaln(positive.astype(np.float64)), units, 0 if dtype == np.float32 else 1)
    within(apply(tmp_path, "digamma", positive), scipy.digamma(positive.astype(np.float64)), units, 0 if dtype == np.float32 else 1)
    s = rng.uniform(1.01, 30, len(x)).astype(dtype)
    within(apply(tmp_path, "zeta", s, positive), scipy.zeta(s.astype(np.float64), positive.astype(np.float64)), units)
    n = rng.integers(0, 6, len(x)).astype(dtype)
    within(apply(tmp_path, "polygamma", n, positive), scipy.polygamma(n.astype(np.int64), positive.astype(np.float64)), units, 1e-3)


def test_special_values(tmp_path):
    s = np.array([1, 0.5, 2, 2, 3.5, np.nan], np.float32)
    q = np.array([2, 2, -3, 0, -1.5, 1], np.float32)
    got = apply(tmp_path, "zeta", s, q)
    np.testing.assert_array_equal(got, np.array([np.inf, np.nan, np.inf, np.inf, np.nan, np.nan], np.float32))
    got = apply(tmp_path, "polygamma", np.array([-1, 0.5], np.float32), np.array([2, 2], np.float32))
    assert np.isnan(got).all()


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_inverse_functions_of_complex_numbers(tmp_path, rng, dtype):
    z = (rng.normal(size=300) * 2 + 1j * rng.normal(size=300) * 2).astype(dtype)
    z = np.concatenate([z, np.array([2 + 0j, -2 + 0j, 0.5 + 0j, 3j, -0.5j, 1e3 + 1e3j], dtype)])
    wide = z.astype(np.clongdouble)
    for name in ["acos", "acosh", "asin", "asinh", "atan", "atanh"]:
        expected = getattr(np, "arc" + name[1:])(wide)
        error = np.abs(apply(tmp_path, name, z) - expected) / np.maximum(np.abs(expected), 1e-30)
        assert error.max() <= 16 * np.finfo(dtype).eps, (name, z[error.argmax()])


# --- operations ---


def test_batch_norm(tmp_path, rng):
    x, grad = rng.normal(size=(4, 3, 5)).astype(np.float32), rng.normal(size=(4, 3, 5)).astype(np.float32)
    scale, offset = rng.normal(size=3).astype(np.float32), rng.normal(size=3).astype(np.float32)
    axes, wide = (0, 2), x.astype(np.float64)
    mean, var = wide.mean(axes), wide.var(axes)
    column = lambda v: np.asarray(v, np.float64)[None, :, None]
    normal = (wide - column(mean)) / np.sqrt(column(var) + 0.001)
    big, small, attrs = tensor(x), tensor(scale), "<{epsilon = 0.001 : f32, feature_index = 1 : i64}>"
    got = run(tmp_path, f'%o:3 = "stablehlo.batch_norm_training"(%0, %1, %2) {attrs} : ({big}, {small}, {small}) -> ({big}, {small}, {small})\n'
              f"return %o#0, %o#1, %o#2 : {big}, {small}, {small}", [big, small, small], x, scale, offset)
    for a, b in zip(got, [normal * column(scale) + column(offset), mean, var]):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    statistics = [mean.astype(np.float32), var.astype(np.float32)]
    got = run(tmp_path, f'%o = "stablehlo.batch_norm_inference"(%0, %1, %2, %3, %4) {attrs} : ({big}, {small}, {small}, {small}, {small}) -> {big}\n'
              f"return %o : {big}", [big], x, scale, offset, *statistics)
    np.testing.assert_allclose(got[0], normal * column(scale) + column(offset), rtol=1e-4, atol=1e-5)
    got = run(tmp_path, f'%o:3 = "stablehlo.batch_norm_grad"(%0, %1, %2, %3, %4) {attrs} : ({big}, {small}, {small}, {small}, {big}) -> ({big}, {small}, {small})\n'
              f"return %o#0, %o#1, %o#2 : {big}, {small}, {small}", [big, small, small], x, scale, *statistics, grad)
    g, n = grad.astype(np.float64), 20
    along = column((g * normal).sum(axes)) * normal
    expected = column(scale) / np.sqrt(column(var) + 0.001) / n * (n * g - column(g.sum(axes)) - along)
    for a, b in zip(got, [expected, (g * normal).sum(axes), g.sum(axes)]):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("config", ["ij,jk->ik", "ij,jk->ki", "ij,kj->ik", "ij,ij->", "ij,ij->ij", "ij,k->kji", "iij,jk->ik", "ijl,jk->ik"])
def test_einsum(tmp_path, rng, config):
    sizes = {"i": 3, "j": 4, "k": 5, "l": 2}
    left, right, out = config.replace("->", ",").split(",")
    a, b = (rng.normal(size=[sizes[c] for c in names]).astype(np.float32) for names in (left, right))
    expected = np.einsum(config, a, b)
    got = run(tmp_path, f'%r = stablehlo.einsum %0, %1, config = "{config}" : ({tensor(a)}, {tensor(b)}) -> {tensor(expected)}\n'
              f"return %r : {tensor(expected)}", [tensor(expected)], a, b)[0]
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("config", ["ij->ji", "ij->i", "ij->", "ii->i", "ii->", "iji->j"])
def test_unary_einsum(tmp_path, rng, config):
    sizes = {"i": 3, "j": 4}
    a = rng.normal(size=[sizes[c] for c in config.split("->")[0]]).astype(np.float32)
    expected = np.einsum(config, a)
    expected = np.array(expected, np.float32)
    got = run(tmp_path, f'%r = stablehlo.unary_einsum %0, config = "{config}" : ({tensor(a)}) -> {tensor(expected)}\nreturn %r : {tensor(expected)}',
              [tensor(expected)], a)[0]
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dim,batch", [(0, 0), (1, 0), (2, 0), (1, 1), (2, 1)])
def test_torch_index_select(tmp_path, rng, dim, batch):
    a = rng.normal(size=(3, 4, 5)).astype(np.float32)
    index = rng.integers(0, a.shape[dim], (3, 2)).astype(np.int32)
    expected = np.take(a, index, dim) if batch == 0 else np.stack([np.take(a[i], index[i], dim - 1) for i in range(3)])
    got = run(tmp_path, f'%r = "stablehlo.torch_index_select"(%0, %1) <{{dim = {dim} : i64, batch_dims = {batch} : i64}}> : '
              f"({tensor(a)}, {tensor(index)}) -> {tensor(expected)}\nreturn %r : {tensor(expected)}", [tensor(expected)], a, index)[0]
    np.testing.assert_array_equal(got, expected)


def test_random_numbers(tmp_path):
    n, body = 20000, ""
    for i, (kind, element, low, high) in enumerate([("UNIFORM", "f32", "-1.0", "3.0"), ("NORMAL", "f32", "2.0", "0.5"), ("UNIFORM", "i32", "-3", "4"), ("UNIFORM", "f64", "0.0", "1.0")]):
        body += (f"%a{i} = stablehlo.constant dense<{low}> : tensor<{element}>\n%b{i} = stablehlo.constant dense<{high}> : tensor<{element}>\n"
                 f"%s{i} = stablehlo.constant dense<{n}> : tensor<1xi64>\n"
                 f"%r{i} = stablehlo.rng %a{i}, %b{i}, %s{i}, distribution = {kind} : (tensor<{element}>, tensor<{element}>, tensor<1xi64>) -> tensor<{n}x{element}>\n")
    types = [f"tensor<{n}x{e}>" for e in ["f32", "f32", "i32", "f64"]]
    u, g, k, d = run(tmp_path, body + f"return %r0, %r1, %r2, %r3 : {', '.join(types)}", types)
    assert u.min() >= -1 and u.max() < 3 and abs(u.mean() - 1) < 0.05
    assert abs(g.mean() - 2) < 0.02 and abs(g.std() - 0.5) < 0.02 and np.isfinite(g).all()
    assert k.min() == -3 and k.max() == 3 and abs(k.mean()) < 0.1
    assert d.min() >= 0 and d.max() < 1 and len(np.unique(d)) == n


def test_shapes_as_operands(tmp_path, rng):
    a = rng.normal(size=(4, 6)).astype(np.float32)
    body = """
  %s = stablehlo.constant dense<[8, 3]> : tensor<2xi32>
  %r = stablehlo.dynamic_reshape %0, %s : (tensor<4x6xf32>, tensor<2xi32>) -> tensor<8x3xf32>
  %t = stablehlo.constant dense<[2, 8, 3]> : tensor<3xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %r, %t, dims = [1, 2] : (tensor<8x3xf32>, tensor<3xi32>) -> tensor<2x8x3xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %two = stablehlo.constant dense<[0, 2]> : tensor<2xi32>
  %p = stablehlo.dynamic_pad %0, %z, %one, %two, %one : (tensor<4x6xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<8x8xf32>
  %l = stablehlo.constant dense<[4, 5]> : tensor<2xi32>
  %u = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %x = stablehlo.real_dynamic_slice %0, %one, %l, %u : (tensor<4x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3x3xf32>
  %i = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi32>) -> tensor<8x3xi32>
  return %b, %p, %x, %i : tensor<2x8x3xf32>, tensor<8x8xf32>, tensor<3x3xf32>, tensor<8x3xi32>"""
    b, p, x, i = run(tmp_path, body, ["tensor<2x8x3xf32>", "tensor<8x8xf32>", "tensor<3x3xf32>", "tensor<8x3xi32>"], a)
    np.testing.assert_array_equal(b, np.broadcast_to(a.reshape(8, 3), (2, 8, 3)))
    padded = np.zeros((8, 8), np.float32)
    padded[1:8:2, 0:6] = a
    np.testing.assert_array_equal(p, padded)
    np.testing.assert_array_equal(x, a[1:4:1, 0:5:2])
    np.testing.assert_array_equal(i, np.broadcast_to(np.arange(3), (8, 3)))


def test_a_reduction_reads_a_scalar_from_outside(tmp_path, rng):
    a, s = rng.integers(-9, 9, (5, 7)).astype(np.int32), np.array(3, np.int32)
    got = run(tmp_path, """
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.reduce(%0 init: %z) across dimensions = [1] : (tensor<5x7xi32>, tensor<i32>) -> tensor<5xi32>
   reducer(%x: tensor<i32>, %y: tensor<i32>) {
    %m = stablehlo.maximum %x, %y : tensor<i32>
    %c = stablehlo.minimum %m, %1 : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }
  return %r : tensor<5xi32>""", ["tensor<5xi32>"], a, s)[0]
    np.testing.assert_array_equal(got, np.minimum(np.maximum(a.max(1), 0), 3))


def test_tokens_and_tuples(tmp_path, rng):
    a = rng.normal(size=4).astype(np.float32)
    got = run(tmp_path, """
  %t = stablehlo.create_token : !stablehlo.token
  %u = stablehlo.after_all %t, %t : !stablehlo.token
  %p = stablehlo.tuple %0, %u : tuple<tensor<4xf32>, !stablehlo.token>
  %x = stablehlo.get_tuple_element %p[0] : (tuple<tensor<4xf32>, !stablehlo.token>) -> tensor<4xf32>
  %b:2 = stablehlo.optimization_barrier %x, %u : tensor<4xf32>, !stablehlo.token
  return %b#0 : tensor<4xf32>""", ["tensor<4xf32>"], a)[0]
    np.testing.assert_array_equal(got, a)


# --- ragged_dot ---


def ragged_dot(folder, lhs, rhs, sizes, shape, **dims):
    numbers = ", ".join(f"{name} = {list(value)}" for name, value in dims.items())
    types = ", ".join(tensor(x) for x in (lhs, rhs, sizes))
    result = tensor(np.empty(shape, lhs.dtype))
    body = f"""
      %r = "chlo.ragged_dot"(%0, %1, %2) {{ragged_dot_dimension_numbers = #chlo.ragged_dot<{numbers}>}} : ({types}) -> {result}
      return %r : {result}"""
    return run(folder, body, [result], lhs, rhs, sizes)[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.complex64])
def test_every_group_of_rows_has_its_matrix(tmp_path, rng, dtype):
    """Groups that differ along the batch; an empty one; rows behind the last give 0."""
    lhs, rhs = rng.normal(size=(2, 3, 9, 4)) * 4, rng.normal(size=(3, 5, 2, 4)) * 4
    lhs, rhs = lhs.astype(dtype), rhs.astype(dtype)
    sizes = np.array([[[4, 0, 5], [1, 1, 1], [9, 0, 0]], [[0, 0, 9], [2, 3, 2], [0, 0, 0]]], np.int64)
    expected = np.zeros((2, 3, 9, 5), dtype)
    for b, i in np.ndindex(2, 3):
        group = np.repeat(np.arange(3), sizes[b, i])
        for row, g in enumerate(group):
            expected[b, i, row] = rhs[g, :, b] @ lhs[b, i, row]
    out = ragged_dot(tmp_path, lhs, rhs, sizes, expected.shape, lhs_batching_dimensions=[0], rhs_batching_dimensions=[2],
                     lhs_contracting_dimensions=[3], rhs_contracting_dimensions=[3], lhs_ragged_dimensions=[2], rhs_group_dimensions=[0])
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)


def test_every_group_has_its_sum(tmp_path, rng):
    """The ragged dimension is contracted, together with another; one list of sizes for all of the batch."""
    lhs, rhs = rng.normal(size=(7, 2, 3, 4)), rng.normal(size=(2, 7, 5, 3))
    sizes = np.array([3, 0, 2, 1], np.int32)
    ends = np.cumsum(sizes)
    expected = np.stack([np.einsum("kbcm,bknc->bmn", lhs[e - s : e], rhs[:, e - s : e]) for s, e in zip(sizes, ends)])
    out = ragged_dot(tmp_path, lhs, rhs, sizes, expected.shape, lhs_batching_dimensions=[1], rhs_batching_dimensions=[0],
                     lhs_contracting_dimensions=[0, 2], rhs_contracting_dimensions=[1, 3], lhs_ragged_dimensions=[0])
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)


def test_groups_of_the_batch_say_nothing(tmp_path, rng):
    lhs, rhs = rng.normal(size=(4, 3, 2)), rng.normal(size=(4, 2, 5))
    out = ragged_dot(tmp_path, lhs, rhs, np.array([1, 2], np.int32), (4, 3, 5), lhs_batching_dimensions=[0], rhs_batching_dimensions=[0],
                     lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[1], lhs_ragged_dimensions=[0])
    np.testing.assert_allclose(out, lhs @ rhs, rtol=1e-12)


# --- scan ---


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [0, 1, 6])
def test_scans(tmp_path, rng, length, reverse):
    """Two inputs, two carries, three outputs, along the middle dimension; a scan within the body."""
    x, y = rng.normal(size=(2, length, 3)), rng.integers(0, 9, (2, length)).astype(np.int32)
    c, k = rng.normal(size=(2, 3)), np.array(5, np.int32)
    names = [f"tensor<2x{length}x3xf64>", f"tensor<2x{length}xi32>", f"tensor<2x{length}xi32>", "tensor<2x3xf64>", "tensor<i32>"]
    body = f"""
      %r:5 = chlo.scan(%0, %1) inits(%2, %3) dimension=1 attributes {{is_reverse = {str(reverse).lower()}}} {{
      ^bb0(%x: tensor<2x3xf64>, %y: tensor<2xi32>, %c: tensor<2x3xf64>, %k: tensor<i32>):
        %sums, %last = chlo.scan(%x) inits(%c) dimension=0 {{
        ^bb0(%u: tensor<3xf64>, %v: tensor<2x3xf64>):
          %w = stablehlo.slice %v [0:1, 0:3] : (tensor<2x3xf64>) -> tensor<1x3xf64>
          %s = stablehlo.reshape %w : (tensor<1x3xf64>) -> tensor<3xf64>
          %t = stablehlo.add %u, %s : tensor<3xf64>
          stablehlo.return %t, %v : tensor<3xf64>, tensor<2x3xf64>
        }} : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
        %next = stablehlo.add %x, %c : tensor<2x3xf64>
        %kk = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> tensor<2xi32>
        %m = stablehlo.maximum %y, %kk : tensor<2xi32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %less = stablehlo.subtract %k, %one : tensor<i32>
        stablehlo.return %sums, %m, %kk, %next, %less : tensor<2x3xf64>, tensor<2xi32>, tensor<2xi32>, tensor<2x3xf64>, tensor<i32>
      }} : (tensor<2x{length}x3xf64>, tensor<2x{length}xi32>, tensor<2x3xf64>, tensor<i32>) -> ({", ".join(names)})
      return %r#0, %r#1, %r#2, %r#3, %r#4 : {", ".join(names)}"""
    sums, most, counts, last, left = run(tmp_path, body, names, x, y, c, k)
    carry, number = c, 5
    for i in reversed(range(length)) if reverse else range(length):
        np.testing.assert_array_equal(sums[:, i], x[:, i] + carry[0])
        np.testing.assert_array_equal(most[:, i], np.maximum(y[:, i], number))
        np.testing.assert_array_equal(counts[:, i], number)
        carry, number = carry + x[:, i], number - 1
    np.testing.assert_array_equal(last, carry)
    assert left == number


def test_the_kernel_of_asin_and_acos(tmp_path, rng):
    z = np.concatenate([rng.normal(size=50) * 3 + 1j * rng.normal(size=50) * 3, [0, 1, -1, 1e-30j, 2, -2, 1e200 + 1e200j]])
    body = f"""
      %w = chlo._asin_acos_kernel %0 : {tensor(z)} -> {tensor(z)}
      return %w : {tensor(z)}"""
    (w,) = run(tmp_path, body, [tensor(z)], z)
    np.testing.assert_allclose(np.arctan2(z.real, w.real) + 1j * np.copysign(w.imag, z.imag), np.arcsin(z), rtol=1e-13, atol=1e-15)


# --- shapes that arguments tell ---

OPEN_SHAPES = """
func.func @main(%a: tensor<?x3xf32>, %b: tensor<3x?xf32>) -> tensor<?x?xf32> {
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [0]>}> : (tensor<?x3xf32>, tensor<3x?xf32>) -> tensor<?x?xf32>
  %1 = func.call @scaled(%0) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
func.func private @scaled(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %f = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
  %m = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.concatenate %m1, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %all = stablehlo.dynamic_broadcast_in_dim %f, %s, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
  %r = stablehlo.multiply %x, %all : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}"""


@pytest.mark.parametrize("flags", [(), ("--reference",)])
@pytest.mark.parametrize("m, n", [(2, 4), (1, 1), (0, 3)])
def test_arguments_settle_shapes(tmp_path, rng, m, n, flags):
    a, b = rng.normal(size=(m, 3)).astype(np.float32), rng.normal(size=(3, n)).astype(np.float32)
    (out,) = run_text(tmp_path, OPEN_SHAPES, (a, b), 1, *flags)
    np.testing.assert_allclose(out, a @ b * n, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("flags", [(), ("--reference",)])
def test_arguments_that_do_not_fit_their_types(tmp_path, rng, flags):
    with pytest.raises(Exception, match="cannot be a"):
        run_text(tmp_path, OPEN_SHAPES, (np.zeros((2, 4), np.float32), np.zeros((3, 4), np.float32)), 1, *flags)


# --- custom calls of algorithms ---


@pytest.mark.parametrize("target, config, operands, results", [
    ("Qr", "", ["4x3"], ["4x3", "2"]),
    ("Qr", "", ["4x3"], ["2x2", "3"]),
    ("LuDecomposition", "", ["4x4"], ["4x4", "4", "4"]),  # pivots of f32
    ("ProductOfElementaryHouseholderReflectors", "", ["4x3", "5"], ["4x3"]),
    ("Eigh", "1,1,100,1e-6", ["4x3"], ["3x3", "3"]),
    ("treadle.svd", "some", ["4x3"], ["3", "4x4", "3x3"]),
    ("treadle.svd", "all", ["4x0"], ["0", "4x4", "0x0"]),
    ("treadle.tridiagonal_solve", "exact", ["4", "4", "3", "4x2"], ["4x2"]),
    ("treadle.tridiagonal_solve", "exact", ["4", "4", "4"], ["4x2"]),
])
def test_custom_calls_of_wrong_shapes_are_refused(tmp_path, target, config, operands, results):
    takes, gives = [f"tensor<{x}xf32>" for x in operands], [f"tensor<{x}xf32>" for x in results]
    names = ", ".join(f"%a{i}" for i in range(len(takes)))
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(takes))
    text = f"""func.func @main({arguments}) -> {gives[0]} {{
      %r:{len(gives)} = stablehlo.custom_call @{target}({names}) {{backend_config = "{config}"}} : ({", ".join(takes)}) -> ({", ".join(gives)})
      return %r#0 : {gives[0]}
    }}"""
    zeros = [np.zeros([int(d) for d in x.split("x")], np.float32) for x in operands]
    with pytest.raises(AssertionError, match="do not fit|wrong number|more reflectors|of nothing|not a matrix"):
        run_text(tmp_path, text, zeros, 1)
