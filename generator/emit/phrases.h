/// \file The parts that calls in generated text are made of: names, indices, and constants of a kernel.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "generator/emit/constants.h"
#include "generator/ir/ir.h"
#include "generator/launch_plan.h"

namespace tilejit::emit {

/// What a kernel's operations are given besides tiles. Constants are numbered in the order of the calls:
/// one call a statement, for C++ leaves the order of arguments open.
class Phrases {
public:
    Phrases(const ir::Program& program, const ir::Kernel& kernel, Constants& constants);

    const ir::Program& program() const { return program_; }
    const ir::Kernel& kernel() const { return kernel_; }
    const ir::Value& value(ir::ValueId id) const { return program_.values[static_cast<std::size_t>(id)]; }
    int extent(ir::AxisId id) const { return program_.axes[static_cast<std::size_t>(id)].extent; }
    const std::string& param(ir::ParamId id) const { return program_.params[static_cast<std::size_t>(id)].name; }

    std::string signature() const;
    std::string variable(ir::VarId id) const;
    std::string index(const ir::Index& index) const;
    /// `ceil_div` of the batch, or a number.
    static std::string extent(const Extent& extent);
    /// `{origin}`, one index a dimension.
    std::string origin(const std::vector<ir::Span>& at) const;
    std::string corner(const std::vector<ir::Index>& at) const;
    /// `x, x_row, {origin}, {extent}`
    std::string place(ir::TensorId id, const std::vector<ir::Span>& at) const;
    /// `position, {origin}` in a slot; nothing where both are zero.
    std::string slot_place(const ir::Index& position, const std::vector<ir::Span>& at) const;
    /// The map of a copy.
    std::string map(ir::TensorId id, const TensorMap& map) const;

    std::string layout(ir::ValueId id);
    std::string view(ir::TensorId id, const std::vector<ir::Span>& at, const ir::Access& access);
    std::string slot_view(ir::BufferId id, const std::vector<ir::Span>& at, const ir::Access& access);
    std::string buffer(ir::BufferId id);
    std::string sync(ir::SyncId id);
    std::string role(const ir::Role& role);
    std::string over(const std::vector<ir::AxisId>& axes);

private:
    std::string pointer(const std::string& argument) const;
    std::string view_of(const std::vector<std::string>& dims, const std::vector<ir::AxisId>& padded);

    const ir::Program& program_;
    const ir::Kernel& kernel_;
    Constants& constants_;
    std::vector<KernelArg> args_;
    std::set<ir::SyncId> remote_;
};

const char* type_text(DType dtype);

}  // namespace tilejit::emit
