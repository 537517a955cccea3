/// \file The JSON header of a safetensors file. Private to the module.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/safetensors/safetensors.h"

namespace tilejit::safetensors {

/// A tensor as the header describes it; `begin` and `end` count from the end of the header.
struct Entry {
    std::string name;
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

struct Header {
    std::map<std::string, std::string> metadata;
    std::vector<Entry> entries;  ///< by position; they tile the data without holes or overlaps
};

/// Parses and checks a header that is followed by `data_bytes` bytes. Throws `FileError`; `file` is
/// the name in messages.
Header parse_header(std::string_view text, std::uint64_t data_bytes, const std::string& file);

/// Parses the format's spelling of a type; false when there is no such type.
bool parse_dtype(std::string_view name, DType& dtype);

/// product(shape) * size_of(dtype); false when that passes int64.
bool bytes_of(DType dtype, const std::vector<std::int64_t>& shape, std::uint64_t& bytes);

/// `text` for a message: quoted, cut to a readable length, control bytes shown as `\xNN`.
std::string in_quotes(std::string_view text);

}  // namespace tilejit::safetensors
