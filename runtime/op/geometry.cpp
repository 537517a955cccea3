#include "runtime/op/geometry.h"

#include <algorithm>
#include <mutex>

#include "tilejit/error.h"

namespace tilejit {

namespace {

/// Position of `tensor` in the manifest's list that holds it.
std::size_t index_in(const std::vector<manifest::Tensor>& list, const manifest::Tensor* tensor) {
    return static_cast<std::size_t>(tensor - list.data());
}

}  // namespace

std::vector<std::int64_t> at_batch(const std::vector<std::int64_t>& shape, std::int64_t batch) {
    std::vector<std::int64_t> result = shape;
    std::replace(result.begin(), result.end(), Geometry::kOpen, batch);
    return result;
}

GeometryTable::GeometryTable(const manifest::Manifest& manifest) : manifest_(manifest) {
    const std::string& open = manifest.open_dim();
    const auto mentions = [&](const manifest::Expression& expression) {
        return expression.names().count(open) != 0 && expression.text() != open;
    };
    for (const auto* list : {&manifest.inputs, &manifest.outputs}) {
        for (const manifest::Tensor& tensor : *list) {
            open_only_leads_ &= std::none_of(tensor.shape.begin(), tensor.shape.end(), mentions);
        }
    }
    for (const auto& [name, value] : manifest.let) {
        open_only_leads_ &= value.names().count(open) == 0;
    }
    for (const manifest::Rule& rule : manifest.rules) {
        open_only_leads_ &= rule.holds.names().count(open) == 0;
    }
}

std::vector<std::int64_t> GeometryTable::pattern(const manifest::Tensor& tensor, const manifest::Values& values) const {
    std::vector<std::int64_t> shape = manifest::shape_of(tensor, values);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (open_only_leads_ && tensor.shape[i].text() == manifest_.open_dim()) {
            shape[i] = Geometry::kOpen;
        }
    }
    return shape;
}

bool GeometryTable::fits(const Geometry& geometry, std::span<const CheckedTensor> tensors, std::int64_t& batch) const {
    std::size_t inputs = 0;
    std::int64_t found = -1;
    for (const CheckedTensor& tensor : tensors) {
        inputs += tensor.is_output ? 0 : 1;
        if (tensor.dtype != tensor.spec->dtype.in(geometry.dtypes)) {
            return false;
        }
        const auto& shape = tensor.is_output ? geometry.outputs[index_in(manifest_.outputs, tensor.spec)]
                                             : geometry.inputs[index_in(manifest_.inputs, tensor.spec)];
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (shape[i] == Geometry::kOpen && found < 0) {
                found = tensor.shape[i];
            }
            if (tensor.shape[i] != (shape[i] == Geometry::kOpen ? found : shape[i])) {
                return false;
            }
        }
    }
    const manifest::Dim* open = manifest_.find_dim(manifest_.open_dim());
    if (found < open->min || found > open->max || inputs != manifest_.inputs.size()) {
        return false;
    }
    batch = found;
    return true;
}

std::shared_ptr<const Geometry> GeometryTable::remembered(std::span<const CheckedTensor> tensors, std::int64_t& batch) {
    if (!open_only_leads_) {
        return nullptr;
    }
    const std::shared_lock lock(mutex_);
    for (const auto& geometry : geometries_) {
        if (fits(*geometry, tensors, batch)) {
            return geometry;
        }
    }
    return nullptr;
}

std::shared_ptr<const Geometry> GeometryTable::solve(std::span<const CheckedTensor> tensors, std::int64_t& batch) {
    if (auto known = remembered(tensors, batch)) {
        return known;
    }
    std::vector<manifest::GivenShape> shapes;
    std::vector<manifest::GivenDtype> dtypes;
    for (const CheckedTensor& tensor : tensors) {
        shapes.push_back({tensor.spec->name, tensor.shape});
        dtypes.push_back({tensor.spec->name, tensor.dtype});
    }
    const manifest::Values dims = manifest::solve_dims(manifest_, shapes);
    batch = dims.at(manifest_.open_dim());
    return of_dims(dims, manifest::solve_dtypes(manifest_, dtypes));
}

std::shared_ptr<const Geometry> GeometryTable::of_dims(const manifest::Values& dims, const Dtypes& dtypes) {
    const manifest::Values values = manifest::complete_dims(manifest_, dims);
    manifest::check_dtypes(manifest_, dtypes);
    auto fresh = std::make_shared<Geometry>();
    fresh->dtypes = dtypes;
    for (const manifest::Dim& dim : manifest_.dims) {
        if (dim.name != manifest_.open_dim() || !open_only_leads_) {
            fresh->dims[dim.name] = values.at(dim.name);
        }
    }
    for (const manifest::Tensor& tensor : manifest_.inputs) {
        fresh->inputs.push_back(pattern(tensor, values));
    }
    for (const manifest::Tensor& tensor : manifest_.outputs) {
        fresh->outputs.push_back(pattern(tensor, values));
    }
    const std::unique_lock lock(mutex_);
    for (const auto& geometry : geometries_) {
        if (geometry->dims == fresh->dims && geometry->dtypes == fresh->dtypes) {
            return geometry;
        }
    }
    geometries_.push_back(fresh);
    return fresh;
}

std::shared_ptr<const ReadyKernel> GeometryTable::find(const Geometry& geometry, const TargetSet& set, Device device,
                                                       Access access, std::int64_t batch) {
    const std::shared_lock lock(mutex_);
    for (const auto& kernel : geometry.kernels) {
        if (kernel->device == device && kernel->access == access && kernel->range.low <= batch &&
            batch <= kernel->range.high && kernel->set == set) {
            return kernel;
        }
    }
    return nullptr;
}

void GeometryTable::add(const Geometry& geometry, std::shared_ptr<const ReadyKernel> kernel) {
    const std::unique_lock lock(mutex_);
    for (const auto& known : geometries_) {
        if (known.get() == &geometry) {
            known->kernels.push_back(std::move(kernel));
            return;
        }
    }
    internal_check(false, "a geometry belongs to its table");
}

}  // namespace tilejit
