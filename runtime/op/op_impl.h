/// \file What is behind `Op`.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/launch/launch.h"
#include "runtime/op/geometry.h"
#include "runtime/op/runtime.h"
#include "tilejit/op.h"

namespace tilejit {

/// The tensors of a call in the manifest's order; outputs may be null.
struct CallTensors {
    std::vector<const TensorView*> inputs;
    std::vector<const TensorView*> outputs;
};

class Op::Impl {
public:
    Impl(std::shared_ptr<const manifest::Manifest> manifest, const Params& params, std::string_view target,
         std::shared_ptr<Runtime> runtime);

    const manifest::Manifest& manifest() const { return *manifest_; }
    const Params& params() const { return params_; }

    /// Checks, makes the kernel if need be, allocates the outputs that are null, and runs.
    std::vector<Tensor> call(const CallTensors& given, Stream stream, const WorkspaceView& workspace);
    void prepare(const Dims& dims, Device device, const Dtypes& dtypes);
    std::size_t workspace_bytes(const Dims& dims, Device device, const Dtypes& dtypes);

private:
    struct Call;

    std::vector<CheckedTensor> check_given(const CallTensors& tensors) const;
    void add_missing_outputs(Call& call) const;
    std::vector<Tensor> allocate_outputs(Call& call, const CallTensors& given);
    void run(const Call& call, const ReadyKernel& kernel, const WorkspaceView& workspace) const;

    TargetSet current_set(Device device);
    void settle(const TargetSet& set);
    SpecializeRequest request(const Geometry& geometry, std::int64_t batch, Access access) const;
    std::shared_ptr<const ReadyKernel> ready(const Geometry& geometry, const TargetSet& set, Device device,
                                             Access access, std::int64_t batch, Stream stream);
    ReadyKernel make_ready(const Geometry& geometry, const TargetSet& set, Device device, Access access,
                           std::int64_t batch, Stream stream);
    Access contiguous_access(const Geometry& geometry, std::int64_t batch) const;

    std::shared_ptr<const manifest::Manifest> manifest_;
    Params params_;
    std::vector<LaunchParam> launch_params_;
    std::string target_;
    std::shared_ptr<Runtime> runtime_;
    GeometryTable table_;
    std::mutex settle_mutex_;
    std::optional<TargetSet> settled_;
};

/// Ops over a runtime of the caller's, for tests.
struct OpAccess {
    static Op make(std::shared_ptr<const manifest::Manifest> manifest, const Params& params, std::string_view target,
                   std::shared_ptr<Runtime> runtime) {
        return Op(std::make_shared<Op::Impl>(std::move(manifest), params, target, std::move(runtime)));
    }
};

}  // namespace tilejit
