/// \file What the parts of a manifest can do by themselves.
#include "generator/manifest/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "generator/manifest/parse_parts.h"
#include "tilejit/error.h"

namespace tilejit::manifest {

std::string legal_values(const Param& param) {
    const bool integer = param.type == Param::Type::i32;
    const std::string kind = integer ? "an integer" : "a finite fp32 number";
    if (param.min && param.max) {
        return fmt::format("{} from {} to {}", kind, *param.min, *param.max);
    }
    if (param.min) {
        return fmt::format("{} of at least {}", kind, *param.min);
    }
    return param.max ? fmt::format("{} of at most {}", kind, *param.max) : kind;
}

bool Space::contains(std::int64_t value) const {
    return values.empty() ? min <= value && value <= max
                          : std::find(values.begin(), values.end(), value) != values.end();
}

std::string Space::describe() const {
    if (values.empty()) {
        return fmt::format("{} to {}", min, max);
    }
    std::string result;
    for (std::size_t i = 0; i < values.size(); ++i) {
        result += (i == 0 ? "" : i + 1 == values.size() ? " or " : ", ") + std::to_string(values[i]);
    }
    return result;
}

std::int64_t Choice::evaluate(const Values& values) const {
    for (const auto& [when, value] : alternatives) {
        if (when.evaluate(values) != 0) {
            return value.evaluate(values);
        }
    }
    throw InternalError("internal error: a choice without a last alternative");
}

double check_param(const Manifest& manifest, const Param& param, double value) {
    const auto fail = [&] {
        throw ShapeError(
            fmt::format("{}: found {} = {}, expected {}", manifest.op, param.name, value, legal_values(param)));
    };
    double rounded = value;
    if (param.type == Param::Type::i32) {
        if (!(value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max()) ||
            value != std::trunc(value)) {
            fail();
        }
    } else {
        // Beyond fp32's range a cast is undefined.
        if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max()))) {
            fail();
        }
        rounded = static_cast<double>(static_cast<float>(value));
    }
    if ((param.min && value < *param.min) || (param.max && value > *param.max)) {
        fail();
    }
    return rounded;
}

}  // namespace tilejit::manifest
