#include <algorithm>
#include <charconv>

#include "runtime/compile/compile.h"

namespace tilejit {

namespace {

/// The number right before `unit`: 37 in `Used 37 registers` for ` registers`. 0 when absent.
int number_before(std::string_view line, std::string_view unit) {
    const std::size_t end = line.find(unit);
    if (end == std::string_view::npos) {
        return 0;
    }
    std::size_t begin = end;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') {
        --begin;
    }
    int value = 0;
    std::from_chars(line.data() + begin, line.data() + end, value);
    return value;
}

std::string quoted(std::string_view line) {
    const std::size_t begin = line.find('\'');
    const std::size_t end = begin == std::string_view::npos ? begin : line.find('\'', begin + 1);
    return end == std::string_view::npos ? std::string() : std::string(line.substr(begin + 1, end - begin - 1));
}

}  // namespace

std::vector<KernelResources> parse_resources(std::string_view log) {
    std::vector<KernelResources> result;
    while (!log.empty()) {
        const std::string_view line = log.substr(0, log.find('\n'));
        log.remove_prefix(std::min(log.size(), line.size() + 1));
        if (line.find("Compiling entry function") != std::string_view::npos) {
            result.emplace_back().symbol = quoted(line);
        } else if (result.empty()) {
            continue;
        } else if (line.find("bytes stack frame") != std::string_view::npos) {
            result.back().stack_bytes = number_before(line, " bytes stack frame");
            result.back().spill_store_bytes = number_before(line, " bytes spill stores");
            result.back().spill_load_bytes = number_before(line, " bytes spill loads");
        } else if (line.find(" registers") != std::string_view::npos) {
            result.back().registers = number_before(line, " registers");
            result.back().shared_bytes = number_before(line, " bytes smem");
        }
    }
    return result;
}

}  // namespace tilejit
