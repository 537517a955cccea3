/// \file The compile-time constants of generated text: layouts, views, buffers.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tilejit::emit {

/// Each distinct constant is written once and named by its kind.
class Constants {
public:
    /// The name of `struct NAME { body }`; of the kind `prefix`.
    std::string name(const std::string& prefix, const std::string& body);
    /// The name of a struct whose `value` is a `type`.
    std::string value(const std::string& prefix, const char* type, const std::string& value);

    std::string text() const;

private:
    std::vector<std::pair<std::string, std::string>> entries_;
    std::map<std::string, int> count_;
};

}  // namespace tilejit::emit
