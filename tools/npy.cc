#include "tools/npy.h"

#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace treadle::tools {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Name {
  std::string_view numpy;
  ElementType type;
};
constexpr Name kNames[] = {
    {"|b1", ElementType::kI1},   {"|i1", ElementType::kI8},   {"<i2", ElementType::kI16}, {"<i4", ElementType::kI32},
    {"<i8", ElementType::kI64},  {"|u1", ElementType::kU8},   {"<u2", ElementType::kU16}, {"<u4", ElementType::kU32},
    {"<u8", ElementType::kU64},  {"<f2", ElementType::kF16},  {"<f4", ElementType::kF32}, {"<f8", ElementType::kF64},
    {"|V2", ElementType::kBF16}, {"<V2", ElementType::kBF16}, {"<c8", ElementType::kC64}, {"<c16", ElementType::kC128}};

// The text between `open` and `close` behind 'key':.
std::string Field(const std::string& header, std::string_view key, char open, char close) {
  size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string::npos) return "";
  size_t first = header.find(open, at + key.size() + 2);
  size_t last = first == std::string::npos ? first : header.find(close, first + 1);
  return last == std::string::npos ? "" : header.substr(first + 1, last - first - 1);
}

}  // namespace

StatusOr<Tensor> ReadNpy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("cannot read '" + path + "'");
  std::stringstream buffer;
  buffer << file.rdbuf();
  std::string bytes = buffer.str();
  auto bad = [&](const std::string& why) { return InvalidArgument("'" + path + "' is not a NumPy file: " + why); };
  if (bytes.size() < 10 || !bytes.starts_with(kMagic)) return bad("it does not begin like one");
  size_t width = bytes[6] == 1 ? 2 : 4;
  uint32_t length = 0;
  if (bytes.size() < 8 + width) return bad("it is cut off");
  std::memcpy(&length, bytes.data() + 8, width);
  size_t start = 8 + width + size_t{length};
  if (bytes.size() < start) return bad("it is cut off");
  std::string header = bytes.substr(8 + width, length);
  if (header.find("'fortran_order': True") != std::string::npos)
    return Unimplemented("'" + path + "' is in Fortran order");
  Tensor tensor;
  std::string descr = Field(header, "descr", '\'', '\'');
  for (const Name& name : kNames) {
    if (name.numpy == descr) tensor.shape.type = name.type;
  }
  if (tensor.shape.type == ElementType::kInvalid)
    return Unimplemented("'" + path + "' holds elements of type '" + descr + "'");
  std::stringstream dims(Field(header, "shape", '(', ')'));
  for (std::string dim; std::getline(dims, dim, ',');) {
    if (dim.find_first_of("0123456789") == std::string::npos) continue;
    tensor.shape.dims.push_back(std::strtoll(dim.c_str(), nullptr, 10));
    if (tensor.shape.dims.back() < 0) return bad("a dimension is negative");
  }
  if (static_cast<int64_t>(bytes.size() - start) < tensor.shape.bytes()) return bad("it is cut off");
  tensor.bytes = bytes.substr(start, tensor.shape.bytes());
  return tensor;
}

Status WriteNpy(const std::string& path, const Tensor& tensor) {
  std::string_view descr;
  for (const Name& name : kNames) {
    if (name.type == tensor.shape.type && descr.empty()) descr = name.numpy;
  }
  if (descr.empty()) return Unimplemented("NumPy files with " + std::string(ElementTypeName(tensor.shape.type)));
  std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (int64_t dim : tensor.shape.dims) header += std::to_string(dim) + ",";
  header += "), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  uint16_t length = static_cast<uint16_t>(header.size());
  std::ofstream file(path, std::ios::binary);
  file << kMagic << '\x01' << '\0';
  file.write(reinterpret_cast<const char*>(&length), 2);
  file << header;
  file.write(tensor.bytes.data(), static_cast<std::streamsize>(tensor.bytes.size()));
  file.flush();
  return file ? OkStatus() : InvalidArgument("cannot write '" + path + "'");
}

}  // namespace treadle::tools
