#include <fmt/format.h>

#include <array>

#include "tools/safetensors/header.h"

namespace tilejit::safetensors {
namespace {

struct Row {
    DType dtype;
    std::string_view name;
    std::size_t size;
};

constexpr std::array<Row, 15> kRows = {{
    {DType::boolean, "BOOL", 1},
    {DType::u8, "U8", 1},
    {DType::i8, "I8", 1},
    {DType::f8_e5m2, "F8_E5M2", 1},
    {DType::f8_e4m3, "F8_E4M3", 1},
    {DType::i16, "I16", 2},
    {DType::u16, "U16", 2},
    {DType::f16, "F16", 2},
    {DType::bf16, "BF16", 2},
    {DType::i32, "I32", 4},
    {DType::u32, "U32", 4},
    {DType::f32, "F32", 4},
    {DType::f64, "F64", 8},
    {DType::i64, "I64", 8},
    {DType::u64, "U64", 8},
}};

const Row& row_of(DType dtype) {
    const auto index = static_cast<std::size_t>(dtype);
    internal_check(index < kRows.size() && kRows[index].dtype == dtype, "unknown safetensors type");
    return kRows[index];
}

}  // namespace

std::size_t size_of(DType dtype) { return row_of(dtype).size; }
std::string_view name_of(DType dtype) { return row_of(dtype).name; }

bool parse_dtype(std::string_view name, DType& dtype) {
    for (const Row& row : kRows) {
        if (row.name == name) {
            dtype = row.dtype;
            return true;
        }
    }
    return false;
}

bool bytes_of(DType dtype, const std::vector<std::int64_t>& shape, std::uint64_t& bytes) {
    auto product = static_cast<std::int64_t>(size_of(dtype));
    bool empty = false;
    bool overflow = false;
    for (const std::int64_t extent : shape) {
        if (extent < 0) {
            return false;
        }
        empty = empty || extent == 0;
        overflow = overflow || __builtin_mul_overflow(product, extent, &product);
    }
    bytes = empty ? 0 : static_cast<std::uint64_t>(product);
    return empty || !overflow;
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t kLongest = 60;
    std::string out = "\"";
    for (const char c : text.substr(0, kLongest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f || c == '"' || c == '\\') {
            out += fmt::format("\\x{:02x}", byte);
        } else {
            out += c;
        }
    }
    out += '"';
    if (text.size() > kLongest) {
        out += fmt::format("... ({} bytes)", text.size());
    }
    return out;
}

}  // namespace tilejit::safetensors
