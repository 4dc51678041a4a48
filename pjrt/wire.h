// protozero, so that fields of an unexpected wire type raise its exception too, where it would assert: the bytes come
// from outside. Include this instead of <protozero/...>.
#ifndef TREADLE_PJRT_WIRE_H_
#define TREADLE_PJRT_WIRE_H_

#include <protozero/exception.hpp>

#ifdef PROTOZERO_PBF_READER_HPP
#error "include pjrt/wire.h before any other header of protozero"
#endif
#define protozero_assert(condition)                               \
  do {                                                            \
    if (!(condition)) throw ::protozero::invalid_tag_exception(); \
  } while (false)

#include <protozero/pbf_reader.hpp>  // IWYU pragma: export
#include <protozero/pbf_writer.hpp>  // IWYU pragma: export

#endif  // TREADLE_PJRT_WIRE_H_
