/// \file Small DSL programs for tests, the shapes that sweeps run over, and running programs on the
/// CPU between guard bytes.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "generator/generate.h"
#include "generator/interpret/interpret.h"
#include "generator/interpret/tile.h"
#include "generator/manifest/library.h"
#include "generator/pass/pass.h"
#include "tests/catch.h"
#include "tilejit/dsl.h"

namespace tilejit::test {

/// A specialisation of no manifest's op, for programs written in a test.
inline Specialization toy(const std::string& arch = "sm_80", Access access = Access::aligned, BatchRange batch = {}) {
    Specialization spec;
    spec.op = "Toy";
    spec.kernel = "toy";
    spec.arch = arch;
    spec.access = access;
    spec.batch = batch;
    return spec;
}

struct Shape {
    std::string op;
    std::int64_t batch;
    std::int64_t n;
    std::int64_t c_x;
};

inline Specialization specialized(const Shape& shape, const std::string& arch = "sm_80",
                                  Access access = Access::aligned, bool exact_batch = false) {
    SpecializeRequest request;
    request.dims = {{"batch", shape.batch}, {"n", shape.n}, {"c_x", shape.c_x}};
    request.arch = arch;
    request.access = access;
    request.exact_batch = exact_batch;
    return specialize(manifest::find_manifest(shape.op), request);
}

inline std::vector<Shape> workload_shapes() {
    std::vector<Shape> shapes;
    for (const char* op : {"MHCPreFwdOp", "MHCPostFwdOp"}) {
        for (const manifest::Workload& load : manifest::find_manifest(op).workloads) {
            shapes.push_back({op, load.dims.at("batch"), load.dims.at("n"), load.dims.at("c_x")});
        }
    }
    return shapes;
}

/// Stream counts around powers of two, widths that no vector divides, a batch of each range.
inline std::vector<Shape> odd_shapes(const std::vector<std::int64_t>& widths = {1, 7, 33, 40, 300, 1280},
                                     const std::vector<std::int64_t>& batches = {1, 70, 5000}) {
    std::vector<Shape> shapes;
    for (const char* op : {"MHCPreFwdOp", "MHCPostFwdOp"}) {
        for (const std::int64_t n : {1, 2, 3, 5, 8, 9, 12, 16, 17, 32}) {
            for (const std::int64_t c_x : widths) {
                for (const std::int64_t batch : batches) {
                    shapes.push_back({op, batch, n, c_x});
                }
            }
        }
    }
    return shapes;
}

/// Calls `body` for the distinct specialisations of the workloads and of `odd`, for both kinds of access.
inline void for_all_specializations(const std::function<void(const Specialization&)>& body,
                                    const std::vector<Shape>& odd = odd_shapes()) {
    std::vector<Shape> shapes = workload_shapes();
    shapes.insert(shapes.end(), odd.begin(), odd.end());
    std::map<std::string, bool> seen;
    for (const Shape& shape : shapes) {
        for (const Access access : {Access::aligned, Access::element}) {
            const Specialization spec = specialized(shape, "sm_80", access);
            if (seen.emplace(canonical_text(spec), true).second) {
                body(spec);
            }
        }
    }
}

/// Every statement of every role, bodies of loops included.
inline void for_all_statements(const std::vector<ir::Stmt>& body, const std::function<void(const ir::Stmt&)>& visit) {
    for (const ir::Stmt& stmt : body) {
        visit(stmt);
        if (const std::vector<ir::Stmt>* inner = ir::body_of(stmt.op)) {
            for_all_statements(*inner, visit);
        }
    }
}

inline void for_all_statements(const ir::Program& program, const std::function<void(const ir::Stmt&)>& visit) {
    for (const ir::Kernel& kernel : program.kernels) {
        for (const ir::Role& role : kernel.roles) {
            for_all_statements(role.body, visit);
        }
    }
}

/// All operations of one kind, in order.
template <class Op>
std::vector<Op> all(const ir::Program& program) {
    std::vector<Op> found;
    for_all_statements(program, [&](const ir::Stmt& stmt) {
        if (const auto* op = std::get_if<Op>(&stmt.op)) {
            found.push_back(*op);
        }
    });
    return found;
}

inline const ir::Value& value_of(const ir::Program& program, ir::ValueId id) {
    return program.values.at(static_cast<std::size_t>(id));
}

inline int extent_of(const ir::Program& program, ir::AxisId axis) {
    return program.axes.at(static_cast<std::size_t>(axis)).extent;
}

/// What the generator has against `body`; empty when it accepts it.
inline std::string generate_error(const std::function<void()>& body) {
    try {
        body();
        return "";
    } catch (const GenerateError& error) {
        return error.what();
    }
}

/// `file.cpp:12: what`, the file being the caller's.
inline std::string at_line(int line, const std::string& what, const char* file = __builtin_FILE()) {
    const std::string path = file;
    return fmt::format("{}:{}: {}", path.substr(path.rfind('/') + 1), line, what);
}

/// Checks that `error` names the caller's file, `line` (read after the error was made) and `what`. A
/// function: within a macro all lines are one.
inline void check_fault(const std::string& error, const int& line, const std::string& what,
                        const char* file = __builtin_FILE(), int caller = __builtin_LINE()) {
    INFO("checked at line " << caller);
    CHECK(error == at_line(line, what, file));
}

/// A row-major tensor of `rows` rows in CPU memory with guard bytes before, after and, when the stride
/// is larger than the row, between. Elements start as a pattern that no result has.
class HostTensor {
public:
    HostTensor(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t stride = 0)
        : dtype_(dtype), rows_(rows), columns_(columns), stride_(stride > 0 ? stride : columns) {
        bytes_.assign(static_cast<std::size_t>(rows_ * stride_) * size_of(dtype_) + 2 * kGuard, kPattern);
    }

    static HostTensor of(DType dtype, std::int64_t rows, std::int64_t columns, const std::vector<float>& values) {
        HostTensor tensor(dtype, rows, columns);
        for (std::int64_t i = 0; i < rows * columns; ++i) {
            tensor.set(i / columns, i % columns, values.at(static_cast<std::size_t>(i)));
        }
        return tensor;
    }

    interpret::TensorData data() { return {bytes_.data() + kGuard, stride_}; }
    std::int64_t rows() const { return rows_; }
    std::int64_t columns() const { return columns_; }

    void set(std::int64_t row, std::int64_t column, float value) {
        unsigned char* to = bytes_.data() + offset(row, column);
        if (dtype_ == DType::f32) {
            std::memcpy(to, &value, 4);
        } else {
            const std::uint32_t bits = std::bit_cast<std::uint32_t>(interpret::round_to_bf16(value)) >> 16U;
            const auto half = static_cast<std::uint16_t>(bits);
            std::memcpy(to, &half, 2);
        }
    }

    float get(std::int64_t row, std::int64_t column) const {
        const unsigned char* from = bytes_.data() + offset(row, column);
        if (dtype_ == DType::f32) {
            float value = 0;
            std::memcpy(&value, from, 4);
            return value;
        }
        std::uint16_t half = 0;
        std::memcpy(&half, from, 2);
        return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16U);
    }

    std::vector<float> values() const {
        std::vector<float> result;
        for (std::int64_t i = 0; i < rows_ * columns_; ++i) {
            result.push_back(get(i / columns_, i % columns_));
        }
        return result;
    }

    /// The bytes of one row.
    std::vector<unsigned char> row(std::int64_t index) const {
        const auto first = bytes_.begin() + static_cast<std::ptrdiff_t>(offset(index, 0));
        return {first, first + static_cast<std::ptrdiff_t>(columns_ * static_cast<std::int64_t>(size_of(dtype_)))};
    }

    /// Elements that still hold the poison.
    std::int64_t poisoned() const {
        std::int64_t count = 0;
        for (std::int64_t i = 0; i < rows_ * columns_; ++i) {
            const std::size_t first = offset(i / columns_, i % columns_);
            bool all = true;
            for (std::size_t b = 0; b < size_of(dtype_); ++b) {
                all = all && bytes_[first + b] == kPattern;
            }
            count += all ? 1 : 0;
        }
        return count;
    }

    /// True when nothing around the rows was written.
    bool guards_intact() const {
        std::vector<unsigned char> rest = bytes_;
        for (std::int64_t r = 0; r < rows_; ++r) {
            std::fill_n(rest.begin() + static_cast<std::ptrdiff_t>(offset(r, 0)),
                        columns_ * static_cast<std::int64_t>(size_of(dtype_)), kPattern);
        }
        return std::all_of(rest.begin(), rest.end(), [](unsigned char byte) { return byte == kPattern; });
    }

    bool operator==(const HostTensor&) const = default;

private:
    static constexpr std::size_t kGuard = 256;
    static constexpr unsigned char kPattern = 0xFD;

    std::size_t offset(std::int64_t row, std::int64_t column) const {
        return kGuard + static_cast<std::size_t>(row * stride_ + column) * size_of(dtype_);
    }

    DType dtype_;
    std::int64_t rows_;
    std::int64_t columns_;
    std::int64_t stride_;
    std::vector<unsigned char> bytes_;
};

using HostTensors = std::map<std::string, HostTensor>;

/// Runs a program on tensors by name.
inline void run_on_host(const ir::Program& program, HostTensors& tensors, std::int64_t batch,
                        const std::map<std::string, double>& params = {}, const interpret::Options& options = {}) {
    interpret::Bindings bindings;
    for (auto& [name, tensor] : tensors) {
        bindings.tensors[name] = tensor.data();
    }
    bindings.params = params;
    bindings.batch = batch;
    interpret::run(program, bindings, options);
}

/// Numbers in [-1, 1) that depend on the seed and the index only.
inline float noise(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed * 0x9E3779B97F4A7C15ULL + index * 0xBF58476D1CE4E5B9ULL + 1;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    z ^= z >> 31U;
    return static_cast<float>(static_cast<double>(z >> 40U) / 8388608.0 - 1.0);
}

}  // namespace tilejit::test
