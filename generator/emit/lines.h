/// \file Text that is indented as it is written.
#pragma once

#include <string>

namespace tilejit::emit {

class Lines {
public:
    void line(const std::string& text) {
        text_ += std::string(4 * static_cast<std::size_t>(indent_), ' ') + text + "\n";
    }
    /// A line that opens a block.
    void open(const std::string& text) {
        line(text);
        ++indent_;
    }
    /// A line that ends a block and opens the next.
    void next(const std::string& text) {
        --indent_;
        open(text);
    }
    void close() {
        --indent_;
        line("}");
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
    int indent_ = 0;
};

}  // namespace tilejit::emit
