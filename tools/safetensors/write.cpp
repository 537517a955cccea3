#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/safetensors/header.h"
#include "tools/safetensors/publish.h"

namespace tilejit::safetensors {
namespace {

using Named = std::pair<const std::string, Tensor>;

/// Wide types first, so that every tensor is aligned to its element.
std::vector<const Named*> in_file_order(const File& file) {
    std::vector<const Named*> order;
    for (const Named& named : file.tensors) {
        order.push_back(&named);
    }
    std::stable_sort(order.begin(), order.end(), [](const Named* a, const Named* b) {
        return size_of(a->second.dtype) > size_of(b->second.dtype);
    });
    return order;
}

double half_to_double(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 31;
    const int mantissa = bits & 1023;
    double magnitude = 0;
    if (exponent == 31) {
        magnitude = mantissa == 0 ? INFINITY : NAN;
    } else if (exponent == 0) {
        magnitude = std::ldexp(mantissa, -24);
    } else {
        magnitude = std::ldexp(1024 + mantissa, exponent - 25);
    }
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

float bf16_to_float(std::uint16_t bits) {
    const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
    float value = 0;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}

template <typename T, typename Convert>
std::vector<double> convert(const Tensor& tensor, Convert to_double) {
    std::vector<double> values(tensor.bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        T element{};
        std::memcpy(&element, tensor.bytes.data() + i * sizeof(T), sizeof(T));
        values[i] = to_double(element);
    }
    return values;
}

}  // namespace

std::vector<std::byte> serialize(const File& file, const std::string& name) {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!file.metadata.empty()) {
        header["__metadata__"] = file.metadata;
    }
    const std::vector<const Named*> order = in_file_order(file);
    std::uint64_t at = 0;
    for (const Named* named : order) {
        const Tensor& tensor = named->second;
        std::uint64_t needed = 0;
        if (!bytes_of(tensor.dtype, tensor.shape, needed) || needed != tensor.bytes.size()) {
            throw FileError(fmt::format("{}: tensor {} has {} bytes, which are not what its shape needs", name,
                                        in_quotes(named->first), tensor.bytes.size()));
        }
        if (named->first == "__metadata__") {
            throw FileError(name + ": a tensor may not be called __metadata__");
        }
        header[named->first] = {
            {"dtype", name_of(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {at, at + needed}}};
        at += needed;
    }
    std::string text;
    try {
        text = header.dump();
    } catch (const nlohmann::json::type_error&) {
        throw FileError(name + ": the name of a tensor, or a metadata text, is not UTF-8");
    }
    text.resize((text.size() + 7) / 8 * 8, ' ');

    std::vector<std::byte> bytes;
    bytes.reserve(8 + text.size() + at);
    for (int i = 0; i < 8; ++i) {
        bytes.push_back(static_cast<std::byte>(text.size() >> (8 * i)));
    }
    const auto text_bytes = std::as_bytes(std::span(text));
    bytes.insert(bytes.end(), text_bytes.begin(), text_bytes.end());
    for (const Named* named : order) {
        bytes.insert(bytes.end(), named->second.bytes.begin(), named->second.bytes.end());
    }
    return bytes;
}

void write(const std::string& path, const File& file) { publish(path, serialize(file, path)); }

std::vector<double> to_doubles(const Tensor& tensor) {
    switch (tensor.dtype) {
        case DType::f64:
            return convert<double>(tensor, [](double value) { return value; });
        case DType::f32:
            return convert<float>(tensor, [](float value) { return static_cast<double>(value); });
        case DType::f16:
            return convert<std::uint16_t>(tensor, half_to_double);
        case DType::bf16:
            return convert<std::uint16_t>(tensor, bf16_to_float);
        default:
            throw FileError(fmt::format("a tensor of type {} was given where floating-point values are expected",
                                        name_of(tensor.dtype)));
    }
}

}  // namespace tilejit::safetensors
