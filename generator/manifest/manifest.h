/// \file An op as its manifest describes it. Parsed and checked by `parse_manifest`; immutable after.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generator/manifest/expression.h"
#include "tilejit/dtype.h"

namespace tilejit::manifest {

using Values = std::map<std::string, std::int64_t>;

/// A dimension of the op, e.g. `n`. Its values are solved from tensors.
struct Dim {
    std::string name;
    std::string doc;
    std::int64_t min = 1;
    std::int64_t max = INT64_MAX;
};

/// How a kernel is specialised along one dimension.
struct Specialize {
    enum class Kind { exact, bucket, runtime };
    Kind kind = Kind::exact;
    std::vector<std::int64_t> buckets;  ///< ascending upper bounds; one more range has no bound
};

enum class Bind { launch, compile };

/// A parameter of the op's constructor.
struct Param {
    enum class Type { f32, i32 };
    std::string name;
    std::string doc;
    Type type = Type::f32;
    std::optional<double> default_value;
    std::optional<double> min;  ///< included
    std::optional<double> max;  ///< included
    Bind bind = Bind::launch;
};

/// A name for a dtype that is solved from the tensors given.
struct DtypeVariable {
    std::string name;
    std::vector<DType> legal;
    std::string describe() const;    ///< `T = bf16 or f32`
    std::string bytes_name() const;  ///< `T_bytes`, the size of an element in expressions
};

/// The dtype of a tensor: one of them, or what a variable stands for.
struct TensorDtype {
    DType fixed = DType::f32;  ///< where `variable` is empty
    std::string variable;

    TensorDtype(DType dtype = DType::f32) : fixed(dtype) {}  // NOLINT: a dtype is one
    explicit TensorDtype(std::string name) : variable(std::move(name)) {}
    /// `dtypes` hold the variable.
    DType in(const Dtypes& dtypes) const;
    std::string text() const { return variable.empty() ? std::string(name_of(fixed)) : variable; }
    bool operator==(const TensorDtype&) const = default;
};

/// An input or output.
struct Tensor {
    std::string name;
    std::string doc;
    TensorDtype dtype;
    std::vector<Expression> shape;  ///< over dims and `let` names
    std::int64_t alignment = 0;     ///< bytes that its address is a multiple of; 0: the size of an element
    bool optional = false;
    std::string may_alias;  ///< outputs: the input that it may exactly coincide with, or empty
};

struct Rule {
    Expression holds;
    std::string message;  ///< what to tell the user when it does not
};

/// The first alternative whose `when` holds gives the value.
struct Choice {
    std::vector<std::pair<Expression, Expression>> alternatives;  ///< (when, value)
    std::int64_t evaluate(const Values& values) const;
};

/// The legal values of one schedule entry: those listed, or when none is listed all from `min` to
/// `max`, both included.
struct Space {
    std::vector<std::int64_t> values;
    std::int64_t min = 0;
    std::int64_t max = 0;
    bool contains(std::int64_t value) const;
    std::string describe() const;  ///< `8, 16 or 32`, `1 to 64`
};

/// Named choices in the order they are evaluated: a later one may use the names before it.
using Choices = std::vector<std::pair<std::string, Choice>>;

/// A candidate kernel. Its expressions see all dims but the open one, the `let` names that follow from
/// them, the sizes of dtype variables and the target's resources (targets.h); `when` and `schedule` also
/// see `<open dim>_low` and `<open dim>_high`, the range of the open dim that is compiled for (`kOpenHigh`
/// when it has no end), and `aligned`, which is 0 where tensors are accessed by the element.
struct Kernel {
    std::string name;                  ///< the DSL kernel's registered name
    std::string family;                ///< `two_pass`, `single_pass`, `streaming`, ...
    std::vector<std::string> targets;  ///< architectures it serves
    Expression when;
    Choices plan;                        ///< numeric plan: decides bits
    std::map<std::string, Space> space;  ///< legal values of each schedule entry
    Choices schedule;                    ///< default schedule; also sees the plan's names
};

/// The name in kernels' expressions: 1 where kernels are specialised for aligned access, else 0.
constexpr const char* kAligned = "aligned";

/// What `<open dim>_high` is where the range has no end: large, and far from overflow when multiplied.
constexpr std::int64_t kOpenHigh = std::int64_t{1} << 40;

/// Tolerance of one output, `numerics.md`'s form:
/// `|got - want| <= half_ulp(dtype) + slack * max(1, |alpha|) * magnitude`, or for f32
/// `max(1, |alpha|) * (relative * |want| + absolute)`.
struct Tolerance {
    double slack = 0;
    double relative = 0;
    double absolute = 0;
    std::string scale_param;  ///< the alpha, or empty
};

struct Workload {
    std::string label;
    Values dims;
    Dtypes dtypes;
};

/// Over dims, `let` names and the sizes of dtype variables.
struct Roofline {
    Expression bytes;
    Expression flops;
};

struct Manifest {
    std::string file;  ///< where it was read from, for messages
    std::string text;  ///< the JSON text itself, for keys
    std::string op, family, layout, doc;
    std::vector<Dim> dims;
    std::vector<DtypeVariable> dtypes;
    std::vector<Param> params;
    std::vector<Tensor> inputs, outputs;
    std::vector<std::pair<std::string, Expression>> let;
    std::vector<Rule> rules;
    std::map<std::string, Specialize> specialize;
    std::vector<Kernel> kernels;
    std::map<std::string, Tolerance> tolerance;
    std::vector<Workload> workloads;
    Roofline roofline;

    const Dim* find_dim(std::string_view name) const;
    const DtypeVariable* find_dtype(std::string_view name) const;
    const Param* find_param(std::string_view name) const;
    const Tensor* find_tensor(std::string_view name) const;  ///< input or output
    const std::string& open_dim() const;                     ///< the one dim that is `bucket` or `runtime`
};

/// Parses and checks. Every `ManifestError` names `file`, the JSON pointer, what was found and what
/// is legal.
Manifest parse_manifest(std::string_view json_text, const std::string& file);
Manifest load_manifest(const std::string& path);

/// A tensor's shape as it was given.
struct GivenShape {
    std::string tensor;
    std::vector<std::int64_t> shape;
};

/// Solves the dims from the shapes given (every required input; outputs may be among them), checks
/// ranges, `rules`, and that each shape follows. Throws `ShapeError` naming the tensors that
/// contradict each other and the shapes expected.
Values solve_dims(const Manifest& manifest, const std::vector<GivenShape>& given);

/// `dims` plus the `let` values. Throws `ShapeError` when a dim is missing, out of range or breaks a
/// rule.
Values complete_dims(const Manifest& manifest, const Values& dims);

/// A tensor's dtype as it was given.
struct GivenDtype {
    std::string tensor;
    DType dtype = DType::f32;
};

/// Solves the dtype variables from the tensors given (every required input; outputs may be among
/// them). Throws `ShapeError` for a dtype that the tensor cannot have, naming the tensors that contradict
/// each other.
Dtypes solve_dtypes(const Manifest& manifest, const std::vector<GivenDtype>& given);

/// Throws `ShapeError` unless there is a legal dtype for each of the manifest's variables, and no other.
void check_dtypes(const Manifest& manifest, const Dtypes& dtypes);

/// `T_bytes` of each variable: what kernels' and the roofline's expressions see of them.
Values sizes_of(const Manifest& manifest, const Dtypes& dtypes);

/// The least traffic and the arithmetic of one call. Throws as `complete_dims` and `check_dtypes` do.
struct Cost {
    std::int64_t bytes = 0;
    std::int64_t flops = 0;
};
Cost cost_of(const Manifest& manifest, const Values& dims, const Dtypes& dtypes);

/// Checks one value of the op's constructor against `param` and returns it as the kernel will get it
/// (`f32` parameters are rounded to fp32). Throws `ShapeError` on NaN, infinity, a fraction for an
/// integer, or a value out of range.
double check_param(const Manifest& manifest, const Param& param, double value);

/// The shape of `tensor` under `values` (dims and `let` names).
std::vector<std::int64_t> shape_of(const Tensor& tensor, const Values& values);

}  // namespace tilejit::manifest
