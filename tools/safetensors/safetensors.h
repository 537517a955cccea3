/// \file The safetensors file format: named tensors and a string map in one file.
///
/// Layout: 8 bytes of header length (little-endian), a JSON header that is padded with spaces, then
/// the tensors' bytes without holes or overlaps. Files are taken as hostile: whatever the bytes, the
/// readers return a consistent `File` or throw `FileError` that names the file, what was found and
/// what is legal; they never allocate more than the file is long (times a small constant).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilejit/error.h"

namespace tilejit::safetensors {

/// Element types of the format, row-major and little-endian.
enum class DType { boolean, u8, i8, f8_e5m2, f8_e4m3, i16, u16, f16, bf16, i32, u32, f32, f64, i64, u64 };

/// Bytes of one element.
std::size_t size_of(DType dtype);
/// The format's own spelling: `BF16`, `F32`, `BOOL`, ...
std::string_view name_of(DType dtype);

/// A tensor that owns its bytes: product(shape) * size_of(dtype) of them.
struct Tensor {
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape;  ///< empty for a scalar
    std::vector<std::byte> bytes;

    std::int64_t elements() const { return static_cast<std::int64_t>(bytes.size() / size_of(dtype)); }
    bool operator==(const Tensor&) const = default;
};

struct File {
    std::map<std::string, std::string> metadata;  ///< the `__metadata__` entry
    std::map<std::string, Tensor> tensors;
    bool operator==(const File&) const = default;
};

/// Longest header that is read: 100 MB, the limit of the format's first implementation.
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

/// Reads a whole file. Throws `FileError`.
File read(const std::string& path);

/// Reads a file that is in memory; `name` stands for it in messages. Throws `FileError`.
File parse(std::span<const std::byte> bytes, const std::string& name);

/// The bytes of a file: the same `File` always gives the same bytes. Throws `FileError` when a tensor
/// has another number of bytes than its shape asks for, or a text is not UTF-8; `name` stands for the
/// file in messages.
std::vector<std::byte> serialize(const File& file, const std::string& name);

/// Serialises and publishes atomically: a reader sees the old file or the new one. Throws `FileError`.
void write(const std::string& path, const File& file);

/// The elements as fp64, exactly. Throws `FileError` unless the type is F64, F32, F16 or BF16.
std::vector<double> to_doubles(const Tensor& tensor);

}  // namespace tilejit::safetensors
