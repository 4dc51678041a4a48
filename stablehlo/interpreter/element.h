// One element of a tensor as the reference interpreter computes with it. No MLIR.
#ifndef TREADLE_STABLEHLO_INTERPRETER_ELEMENT_H_
#define TREADLE_STABLEHLO_INTERPRETER_ELEMENT_H_

#include <complex>
#include <cstdint>
#include <string>

#include "base/element_type.h"

namespace treadle::interpreter {

// x87's format holds every f64 and every 64-bit integer, and has 11 bits more than f64 to round away.
using Extended = long double;
using ComplexExtended = std::complex<Extended>;

// Which member means something is the element type's matter.
struct Element {
  int64_t integer = 0;  // booleans (0 and 1) and integers; of unsigned ones the bits
  double real = 0;      // floating-point numbers of every type: f64 holds them all
  double imag = 0;

  static Element OfInteger(int64_t value) { return {.integer = value}; }
  static Element OfBool(bool value) { return {.integer = value ? 1 : 0}; }
  static Element OfFloat(double value) { return {.real = value}; }
  static Element OfComplex(double re, double im) { return {.real = re, .imag = im}; }

  ComplexExtended complex() const { return {real, imag}; }
};

enum class Kind : uint8_t { kBool, kSigned, kUnsigned, kFloat, kComplex };
Kind KindOf(ElementType type);

// The low bits that an integer type has, with their sign.
int64_t Wrap(int64_t value, ElementType type);

// The nearest number of a float type, ties to even, as f64. What is too large becomes infinity, NaN or the largest
// number, whichever the type has first; types without NaN take -0 for it, f8E8M0FNU takes NaN for what is not positive.
// (As ml_dtypes, which JAX uses.)
double Round(Extended value, ElementType type);

// Rounded to the type: floats, both parts of complex numbers.
Element FloatElement(Extended value, ElementType type);
Element ComplexElement(ComplexExtended value, ElementType type);

// The product of complex numbers, every product and sum of parts rounded.
Element MultiplyComplex(Element x, Element y, ElementType type);

// From and to memory, ElementBytes(type) bytes.
Element Load(const char* from, ElementType type);
void Store(Element element, ElementType type, char* to);

// "-3", "true", "1.5", "(1,-2)": enough digits to tell neighbours apart.
std::string Print(Element element, ElementType type);

// How a float type lays out its bits; 0 for other types.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
};
FloatFormat FormatOf(ElementType type);

// The bits of a float in its own type, and back.
uint64_t BitsOf(double value, ElementType type);
double FromBits(uint64_t bits, ElementType type);

}  // namespace treadle::interpreter

#endif  // TREADLE_STABLEHLO_INTERPRETER_ELEMENT_H_
