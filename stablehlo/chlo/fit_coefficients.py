"""Writes coefficients.h: polynomials for erf, erfc, erf_inv and bessel_i1e, fitted at high precision.

    python3 fit_coefficients.py > coefficients.h        (needs mpmath)

Each polynomial interpolates its function at the Chebyshev points of an interval, in a variable centred on it, with the
degree at which the error falls below the type's unit roundoff. Highest power first.
"""

import mpmath as mp

mp.mp.dps = 50


def fit(function, low, high, tolerance):
    """Monomial coefficients in (v - middle), highest power first, and the middle; the least degree within tolerance."""
    middle, half = (mp.mpf(low) + high) / 2, (mp.mpf(high) - low) / 2
    for degree in range(3, 60):
        n = degree + 1
        points = [mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
        values = [function(middle + half * p) for p in points]
        chebyshev = [2 * sum(values[i] * mp.cos(mp.pi * j * (2 * i + 1) / (2 * n)) for i in range(n)) / n for j in range(n)]
        chebyshev[0] /= 2
        if all(abs(c) < tolerance * abs(chebyshev[0]) for c in chebyshev[-2:]):
            break
    # Chebyshev series to powers of p, then p = (v - middle) / half.
    power = [mp.mpf(0)] * n
    previous, current = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    for j in range(n):
        terms = previous if j == 0 else current
        for k, t in enumerate(terms):
            power[k] += chebyshev[j] * t
        if j > 0:
            following = [mp.mpf(0)] + [2 * t for t in current]
            for k, t in enumerate(previous):
                following[k] -= t
            previous, current = current, following
    return [power[k] / half**k for k in range(n)][::-1], middle


def erf_over_x(v):
    x = mp.sqrt(v)
    return 2 / mp.sqrt(mp.pi) if x == 0 else mp.erf(x) / x


K = mp.mpf(3)  # t = (x - K) / (x + K) spreads the tail of erfc evenly


def scaled_erfc(t):
    x = K * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.erfc(x) * mp.exp(x * x)


def inverse_of_w(w):
    """erf_inv(x) / x where w = -log(1 - x * x)."""
    if w == 0:
        return mp.sqrt(mp.pi) / 2
    # erfc(y) = 1 - x, by Newton from the asymptotic guess.
    x = mp.sqrt(-mp.expm1(-w))
    complement = mp.exp(-w) / (1 + x)
    y = mp.erfinv(x) if x < mp.mpf("0.99") else mp.sqrt(w)
    for _ in range(60):
        step = (mp.erfc(y) - complement) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        y += step
        if abs(step) < mp.mpf(10) ** -45 * y:
            break
    return y / x


def bessel_near(x):
    """bessel_i1e(x) / x."""
    return mp.mpf(1) / 2 if x == 0 else mp.besseli(1, x) * mp.exp(-x) / x


def bessel_far(t):
    """bessel_i1e(x) sqrt(x) where t = 8 / x."""
    return 1 / mp.sqrt(2 * mp.pi) if t == 0 else mp.besseli(1, 8 / t) * mp.exp(-8 / t) * mp.sqrt(8 / t)


def emit(name, c_type, coefficients, middle):
    suffix = "f" if c_type == "float" else ""
    numbers = ", ".join(mp.nstr(c, 9 if suffix else 17, min_fixed=0, max_fixed=0) for c in coefficients)
    print(f"inline constexpr double k{name}Middle = {mp.nstr(middle, 17)};")
    print(f"inline constexpr double k{name}[] = {{{numbers}}};")


print("// Written by fit_coefficients.py. Polynomials in (variable - middle), highest power first.")
print("#ifndef TREADLE_STABLEHLO_CHLO_COEFFICIENTS_H_\n#define TREADLE_STABLEHLO_CHLO_COEFFICIENTS_H_\n")
print("namespace treadle::chlo {\n")
for c_type, name, tolerance, most in (("float", "F32", 2e-8, 11), ("double", "F64", 1e-18, 28)):
    tail = lambda x: (mp.mpf(x) - K) / (mp.mpf(x) + K)
    print(f"// erf(x) / x in x * x, |x| <= 1; (1 + 2 x) erfc(x) exp(x * x) in (x - {K}) / (x + {K}), x >= 0.5.")
    emit(f"Erf{name}", c_type, *fit(erf_over_x, 0, 1, tolerance))
    emit(f"Erfc{name}", c_type, *fit(scaled_erfc, tail(0.5), tail(most), tolerance))
    print("// erf_inv(x) / x: in w = -log(1 - x * x), w <= 5; in sqrt(w) beyond.")
    emit(f"ErfInvLow{name}", c_type, *fit(inverse_of_w, 0, 5, tolerance))
    if name == "F32":
        emit(f"ErfInvHigh{name}", c_type, *fit(lambda s: inverse_of_w(s * s), mp.sqrt(5), mp.mpf("4.1"), tolerance))
    else:
        emit(f"ErfInvHigh{name}", c_type, *fit(lambda s: inverse_of_w(s * s), mp.sqrt(5), mp.mpf("3.8"), tolerance))
        emit(f"ErfInvTop{name}", c_type, *fit(lambda s: inverse_of_w(s * s), mp.mpf("3.8"), mp.mpf("6.1"), tolerance))
print("// bessel_i1e(x) / x for x <= 8; bessel_i1e(x) sqrt(x) in 8 / x beyond.")
emit("BesselNear", "double", *fit(bessel_near, 0, 8, 1e-18))
emit("BesselFar", "double", *fit(bessel_far, 0, 1, 1e-18))
print("\n}  // namespace treadle::chlo\n\n#endif  // TREADLE_STABLEHLO_CHLO_COEFFICIENTS_H_")
