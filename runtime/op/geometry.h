/// \file What an op remembers of the shapes it has met, so that later calls neither solve dimensions
/// nor compute keys.
#pragma once

#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

#include "generator/generate.h"
#include "runtime/launch/loaded_program.h"
#include "runtime/op/resolve.h"
#include "runtime/op/validate.h"

namespace tilejit {

/// A kernel that can run now: on a device, or in the interpreter.
struct ReadyKernel {
    TargetSet set;
    Device device;
    Access access = Access::aligned;
    BatchRange range;
    std::shared_ptr<const LoadedProgram> program;  ///< null on the CPU
    std::shared_ptr<const ir::Program> lowered;    ///< null on a GPU
};

/// All dims of an op but the open one, its dtypes, the shapes that follow, and the kernels made for them.
struct Geometry {
    static constexpr std::int64_t kOpen = -1;  ///< an axis that is the open dimension

    manifest::Values dims;                           ///< without the open one
    Dtypes dtypes;                                   ///< of the dtype variables
    std::vector<std::vector<std::int64_t>> inputs;   ///< by the manifest's order
    std::vector<std::vector<std::int64_t>> outputs;  ///< by the manifest's order
    std::vector<std::shared_ptr<const ReadyKernel>> kernels;
};

/// `shape` with the open axes filled in.
std::vector<std::int64_t> at_batch(const std::vector<std::int64_t>& shape, std::int64_t batch);

/// The geometries of an op. Thread-safe.
class GeometryTable {
public:
    explicit GeometryTable(const manifest::Manifest& manifest);

    /// Solves the dims and dtypes of a call from its tensors, or remembers them. `batch` is the open dim.
    /// Throws `ShapeError`.
    std::shared_ptr<const Geometry> solve(std::span<const CheckedTensor> tensors, std::int64_t& batch);

    /// The geometry of `dims`, which hold every dim, and of what each dtype variable is. Throws `ShapeError`.
    std::shared_ptr<const Geometry> of_dims(const manifest::Values& dims, const Dtypes& dtypes);

    /// Null when there is none yet.
    std::shared_ptr<const ReadyKernel> find(const Geometry& geometry, const TargetSet& set, Device device,
                                            Access access, std::int64_t batch);
    void add(const Geometry& geometry, std::shared_ptr<const ReadyKernel> kernel);

private:
    std::shared_ptr<const Geometry> remembered(std::span<const CheckedTensor> tensors, std::int64_t& batch);
    bool fits(const Geometry& geometry, std::span<const CheckedTensor> tensors, std::int64_t& batch) const;
    std::vector<std::int64_t> pattern(const manifest::Tensor& tensor, const manifest::Values& values) const;

    const manifest::Manifest& manifest_;
    bool open_only_leads_ = true;  ///< no rule or shape uses the open dim but as a whole axis
    std::shared_mutex mutex_;      ///< guards what follows and the kernels of its geometries
    std::vector<std::shared_ptr<Geometry>> geometries_;
};

}  // namespace tilejit
