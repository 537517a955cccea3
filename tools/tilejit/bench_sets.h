/// \file The tensors that `bench` calls an op with, on the device, and the check of what the op makes
/// of them.
#pragma once

#include <vector>

#include "tilejit/op.h"
#include "tools/tilejit/bench_device.h"
#include "tools/tilejit/bench_plan.h"
#include "tools/tilejit/tensors.h"

namespace tilejit::cli {

/// Sets of random inputs and of outputs, which calls take in turn. The sets hold the same numbers.
class BenchSets {
public:
    /// `values` hold all dims and `let` names, `dtypes` all dtype variables. Throws `EnvironmentError` when the device
    /// has too little memory.
    BenchSets(const BenchDevice& device, const manifest::Manifest& manifest, const manifest::Values& values,
              const Dtypes& dtypes, Access access);

    std::int64_t sets() const { return plan_.sets; }
    /// Queues a call on the next set.
    void call(const Op& op, const WorkspaceView& workspace);
    /// Calls the op on the first set and compares a few of its tokens with the fp64 reference. Throws
    /// `CheckFailed`.
    void check(const Op& op, const WorkspaceView& workspace);

private:
    struct Views {
        std::vector<TensorView> inputs;
        std::vector<TensorView> outputs;
    };

    bool is_open(const manifest::Tensor& tensor) const;
    TensorView view_of(const manifest::Tensor& tensor, void* data) const;
    SetPlan plan(Access access) const;
    Views views_of(std::int64_t set) const;
    void fill();
    Tensor download(const TensorView& from, const std::vector<std::int64_t>& rows) const;
    void poison(const TensorView& output, const std::vector<std::int64_t>& rows) const;

    const BenchDevice& device_;
    const manifest::Manifest& manifest_;
    manifest::Values values_;
    Dtypes dtypes_;
    SetPlan plan_;
    Tensor memory_;
    std::vector<Views> views_;
    std::size_t next_ = 0;
};

}  // namespace tilejit::cli
