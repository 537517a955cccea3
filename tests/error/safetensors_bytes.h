/// \file Hand-made safetensors files, right and wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tools/safetensors/safetensors.h"

namespace tilejit::test {

inline std::vector<std::byte> to_bytes(const std::string& text) {
    std::vector<std::byte> bytes(text.size());
    if (!text.empty()) {
        std::memcpy(bytes.data(), text.data(), text.size());
    }
    return bytes;
}

/// The file with this header text, this header length and so many bytes of data.
inline std::vector<std::byte> file_with(std::uint64_t length, const std::string& header, std::size_t data) {
    std::string text;
    for (int i = 0; i < 8; ++i) {
        text += static_cast<char>(length >> (8 * i));
    }
    return to_bytes(text + header + std::string(data, 'd'));
}

inline std::vector<std::byte> file_with(const std::string& header, std::size_t data = 0) {
    return file_with(header.size(), header, data);
}

/// The message of the `FileError` that parsing throws; empty when it throws none.
inline std::string parse_error(const std::vector<std::byte>& bytes) {
    try {
        safetensors::parse(bytes, "in.safetensors");
    } catch (const FileError& error) {
        return error.what();
    }
    return "";
}

}  // namespace tilejit::test
