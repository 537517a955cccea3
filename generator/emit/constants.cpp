#include "generator/emit/constants.h"

#include <fmt/format.h>

namespace tilejit::emit {

std::string Constants::name(const std::string& prefix, const std::string& body) {
    for (const auto& [known_name, known_body] : entries_) {
        if (known_body == body) {
            return known_name;
        }
    }
    std::string fresh = fmt::format("{}{}", prefix, ++count_[prefix]);
    entries_.emplace_back(fresh, body);
    return fresh;
}

std::string Constants::value(const std::string& prefix, const char* type, const std::string& value) {
    return name(prefix, fmt::format("    static constexpr {} value{};\n", type, value));
}

std::string Constants::text() const {
    std::string result;
    for (const auto& [name, body] : entries_) {
        result += fmt::format("struct {} {{\n{}}};\n", name, body);
    }
    return result;
}

}  // namespace tilejit::emit
