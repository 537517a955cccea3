#include "tools/safetensors/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace tilejit::safetensors {
namespace {

constexpr std::string_view kMetadata = "__metadata__";

/// Takes the parser's events and accepts the header's grammar only, so that depth is bounded by the
/// grammar, duplicate keys are seen, and nothing but the result is kept.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit HeaderReader(const std::string& file) : file_(file) {}

    Header take() { return std::move(header_); }

    bool null() override { return unexpected("null"); }
    bool boolean(bool) override { return unexpected("a boolean"); }
    bool binary(binary_t&) override { return unexpected("binary data"); }
    bool number_float(number_float_t, const string_t& text) override {
        return unexpected(fmt::format("the number {}", text.substr(0, 40)));
    }

    bool number_integer(number_integer_t value) override {
        if (value < 0) {
            return unexpected(fmt::format("the negative number {}", value));
        }
        return number_unsigned(static_cast<number_unsigned_t>(value));
    }

    bool number_unsigned(number_unsigned_t value) override {
        if (state_ == State::shape) {
            if (value > static_cast<std::uint64_t>(INT64_MAX)) {
                return unexpected(fmt::format("the number {}", value));
            }
            entry_.shape.push_back(static_cast<std::int64_t>(value));
            return true;
        }
        if (state_ == State::offsets && offsets_ < 2) {
            (offsets_++ == 0 ? entry_.begin : entry_.end) = value;
            return true;
        }
        return unexpected(fmt::format("the number {}", value));
    }

    bool string(string_t& text) override {
        if (state_ == State::metadata) {
            header_.metadata[key_] = text;
            return true;
        }
        if (state_ == State::entry && key_ == "dtype") {
            if (!parse_dtype(text, entry_.dtype)) {
                fail(
                    fmt::format("{} has dtype {}; legal are BOOL U8 I8 F8_E5M2 F8_E4M3 I16 U16 F16 BF16 I32 U32 F32 "
                                "F64 I64 U64",
                                where(), in_quotes(text)));
            }
            return true;
        }
        return unexpected("the string " + in_quotes(text));
    }

    bool start_object(std::size_t) override {
        if (state_ == State::begin) {
            state_ = State::top;
        } else if (state_ == State::top && key_ == kMetadata) {
            state_ = State::metadata;
            keys_.clear();
        } else if (state_ == State::top) {
            state_ = State::entry;
            entry_ = Entry{key_, DType::f32, {}, 0, 0};
            keys_.clear();
        } else {
            return unexpected("an object");
        }
        return true;
    }

    bool key(string_t& text) override {
        std::set<std::string>& seen = state_ == State::top ? names_ : keys_;
        if (!seen.insert(text).second) {
            fail(fmt::format("the key {} comes twice in {}", in_quotes(text),
                             state_ == State::top ? "the header" : where()));
        }
        if (state_ == State::entry && text != "dtype" && text != "shape" && text != "data_offsets") {
            fail(fmt::format("{} has the key {}; legal are dtype, shape and data_offsets", where(), in_quotes(text)));
        }
        key_ = text;
        return true;
    }

    bool end_object() override {
        if (state_ == State::entry) {
            for (const char* needed : {"dtype", "shape", "data_offsets"}) {
                if (keys_.count(needed) == 0) {
                    fail(fmt::format("{} lacks \"{}\"", where(), needed));
                }
            }
            header_.entries.push_back(std::move(entry_));
        }
        state_ = State::top;
        return true;
    }

    bool start_array(std::size_t) override {
        if (state_ == State::entry && key_ == "shape") {
            state_ = State::shape;
        } else if (state_ == State::entry && key_ == "data_offsets") {
            state_ = State::offsets;
            offsets_ = 0;
        } else {
            return unexpected("an array");
        }
        return true;
    }

    bool end_array() override {
        if (state_ == State::offsets && offsets_ != 2) {
            fail(fmt::format("{} has {} data_offsets, not 2", where(), offsets_));
        }
        state_ = State::entry;
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
        fail(fmt::format("the header is not valid JSON in UTF-8 at its byte {}", position));
    }

private:
    enum class State { begin, top, metadata, entry, shape, offsets };

    [[noreturn]] void fail(const std::string& what) const { throw FileError(fmt::format("{}: {}", file_, what)); }

    std::string where() const {
        return state_ == State::metadata ? std::string(kMetadata) : "tensor " + in_quotes(entry_.name);
    }

    bool unexpected(const std::string& found) const {
        switch (state_) {
            case State::begin:
                fail("the header is " + found + ", not a JSON object");
            case State::top:
                fail(fmt::format("the entry {} is {}, not an object", in_quotes(key_), found));
            case State::metadata:
                fail(fmt::format("{} {} is {}, not a string", kMetadata, in_quotes(key_), found));
            case State::entry:
                fail(fmt::format("{} has {} as {}; expected {}", where(), found, key_,
                                 key_ == "dtype"   ? "a string"
                                 : key_ == "shape" ? "an array of integers"
                                                   : "an array of two integers"));
            case State::shape:
                fail(fmt::format("{} has {} in its shape; expected integers from 0 to 2^63 - 1", where(), found));
            case State::offsets:
                fail(fmt::format("{} has {} in its data_offsets; expected two integers from 0 on", where(), found));
        }
        return false;
    }

    const std::string& file_;
    State state_ = State::begin;
    Header header_;
    std::set<std::string> names_;  ///< keys of the header
    std::set<std::string> keys_;   ///< keys of the object inside it
    std::string key_;
    Entry entry_;
    int offsets_ = 0;
};

void check_layout(std::vector<Entry>& entries, std::uint64_t data_bytes, const std::string& file) {
    for (const Entry& entry : entries) {
        const std::string who = fmt::format("{}: tensor {}", file, in_quotes(entry.name));
        if (entry.begin > entry.end || entry.end > data_bytes) {
            throw FileError(fmt::format("{} lies at bytes {} to {} of the data; the file has {} bytes of data", who,
                                        entry.begin, entry.end, data_bytes));
        }
        std::uint64_t needed = 0;
        if (!bytes_of(entry.dtype, entry.shape, needed)) {
            throw FileError(who + " has a shape of more than 2^63 - 1 bytes");
        }
        if (needed != entry.end - entry.begin) {
            throw FileError(fmt::format("{} has {} bytes of data; its dtype {} and shape need {}", who,
                                        entry.end - entry.begin, name_of(entry.dtype), needed));
        }
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
    std::uint64_t at = 0;
    for (const Entry& entry : entries) {
        if (entry.begin != at) {
            throw FileError(
                fmt::format("{}: tensor {} begins at byte {} of the data, where the one before ends at {}; "
                            "tensors may neither overlap nor leave holes",
                            file, in_quotes(entry.name), entry.begin, at));
        }
        at = entry.end;
    }
    if (at != data_bytes) {
        throw FileError(fmt::format("{}: the tensors end at byte {} of the data; the file has {} bytes of data", file,
                                    at, data_bytes));
    }
}

}  // namespace

Header parse_header(std::string_view text, std::uint64_t data_bytes, const std::string& file) {
    if (text.empty() || text.front() != '{') {
        throw FileError(fmt::format("{}: the header begins with {}; expected a JSON object, which begins with {{", file,
                                    in_quotes(text.substr(0, 1))));
    }
    // The JSON parser takes a NUL for the end of its input.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
        throw FileError(fmt::format("{}: the header is not valid JSON in UTF-8 at its byte {}", file, nul + 1));
    }
    HeaderReader reader(file);
    nlohmann::json::sax_parse(text, &reader);
    Header header = reader.take();
    check_layout(header.entries, data_bytes, file);
    return header;
}

}  // namespace tilejit::safetensors
