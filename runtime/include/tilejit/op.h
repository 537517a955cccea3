/// \file Any op, by the name in its manifest. Construct once, call with tensors.
///
///     tilejit::Op post("MHCPostFwdOp");
///     auto out = post.call({{"x_layer_out", layer}, {"h_post", gate}, {"x_res", residual}});
///
/// An op is immutable and may be called from any number of threads at once. Shapes and dtypes come
/// with each call; the first call for a shape and dtypes compiles, later ones look up. Kernels are shared by all
/// ops of the process and kept on disk (see `TILEJIT_CACHE_DIR`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilejit/error.h"
#include "tilejit/target.h"
#include "tilejit/tensor.h"

namespace tilejit {

/// Tensors by the names of the manifest.
using NamedTensors = std::map<std::string, TensorView, std::less<>>;

/// Parameters by the names of the manifest. Integers are exact up to 2^53.
using Params = std::map<std::string, double, std::less<>>;

/// Dimensions by the names of the manifest.
using Dims = std::map<std::string, std::int64_t>;

/// Scratch memory that the caller lends to one call in flight. The call writes to it in its stream.
struct WorkspaceView {
    void* data = nullptr;   ///< 256-byte aligned, on the tensors' device
    std::size_t bytes = 0;  ///< at least `Op::workspace_bytes`
};

struct CallOptions {
    /// Where the work is queued; the call does not wait for it. Must belong to the tensors' device and
    /// its primary context. Ignored for CPU tensors, whose call returns when the work is done.
    Stream stream = nullptr;
    /// Outputs to write to; those left out are allocated in the stream and returned.
    NamedTensors outputs = {};
    /// Left out, it is allocated in the stream for the length of the call. Ignored for CPU tensors.
    WorkspaceView workspace = {};
};

/// The outputs of a call, in the manifest's order.
class Outputs {
public:
    Outputs(std::vector<std::string> names, std::vector<Tensor> tensors);

    std::size_t size() const { return tensors_.size(); }
    const std::string& name(std::size_t index) const { return names_.at(index); }
    Tensor& operator[](std::size_t index) { return tensors_.at(index); }
    const Tensor& operator[](std::size_t index) const { return tensors_.at(index); }
    Tensor& operator[](std::string_view name);  ///< throws `ShapeError` when there is no such output
    const Tensor& operator[](std::string_view name) const;

private:
    std::vector<std::string> names_;
    std::vector<Tensor> tensors_;
};

class Op {
public:
    /// \param name    an op of the library, as `list_ops()` gives it
    /// \param params  those left out have the manifest's defaults
    /// \param target  see `tilejit/target.h`; empty decides at the first call
    /// Throws `OpNotAvailable` for an unknown op, `ShapeError` for a parameter that is unknown, missing,
    /// not finite or out of range, `UnknownTarget` for an unknown target. Needs no GPU.
    explicit Op(std::string_view name, const Params& params = {}, std::string_view target = {});

    /// The op of a manifest file of the caller's. Throws `ManifestError` too.
    static Op from_manifest(const std::string& path, const Params& params = {}, std::string_view target = {});

    ~Op();
    Op(Op&&) noexcept;
    Op& operator=(Op&&) noexcept;
    Op(const Op&);  ///< shares kernels and the settled target
    Op& operator=(const Op&);

    const std::string& name() const;
    std::vector<std::string> input_names() const;   ///< in the manifest's order
    std::vector<std::string> output_names() const;  ///< in the manifest's order
    const Params& params() const;                   ///< complete, defaults included

    /// Runs the op on inputs by name; outputs are those of `options`, else new tensors.
    ///
    /// Tensors may have any row stride of at least a row and any base address that fits the element, or the
    /// alignment that the manifest asks for; the last axis has no gaps. Leading axes that are one behind the other
    /// count as one batch. All tensors are on one device. Outputs overlap neither inputs nor each other, but where the
    /// manifest allows an output to be exactly an input. A batch of 0 succeeds, launches nothing and reads no pointer.
    ///
    /// Throws, before anything is queued, `ShapeError` for tensors that do not fit, `TargetError` for a
    /// device that the target does not serve, `OpNotAvailable` when no kernel serves these dimensions,
    /// `CompileError`, and `DriverError` when the driver or NVRTC is missing or fails.
    Outputs call(const NamedTensors& inputs, const CallOptions& options = {}) const;

    /// The same with the inputs in the manifest's order, all of them.
    Outputs call(std::span<const TensorView> inputs, const CallOptions& options = {}) const;

    /// The same with every output given, in the manifest's order. The cheapest call: once the shapes
    /// are known to the op and with a workspace given, it allocates nothing on the device.
    void call_into(std::span<const TensorView> inputs, std::span<const TensorView> outputs, Stream stream = nullptr,
                   const WorkspaceView& workspace = {}) const;

    /// Compiles and loads what calls with `dims` need, so that later calls do not wait and may be
    /// captured in a CUDA graph. Without the batch among `dims`, kernels of every range of batches are
    /// made. `dtypes` are those of the manifest's dtype variables. Assumes tensors without gaps. Throws as
    /// `call` does.
    void prepare(const Dims& dims, Device device, const Dtypes& dtypes = {}) const;

    /// Workspace that a call with `dims`, the batch included, needs on `device`. 0 on the CPU. It does
    /// not depend on strides. Throws as `call` does.
    std::size_t workspace_bytes(const Dims& dims, Device device, const Dtypes& dtypes = {}) const;

private:
    friend struct OpAccess;
    class Impl;
    explicit Op(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

/// The names of the library's ops.
std::vector<std::string> list_ops();

}  // namespace tilejit
