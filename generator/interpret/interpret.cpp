#include "generator/interpret/interpret.h"

#include <algorithm>

#include "generator/interpret/domain.h"
#include "generator/interpret/machine.h"

namespace tilejit::interpret {
namespace {

/// Memory of the interpreter's own, in rows without gaps.
using Storage = std::map<std::string, std::vector<unsigned char>>;

/// Where a tensor lies; `row` is the distance between its rows.
Memory describe(const ir::Tensor& tensor, unsigned char* data, std::int64_t row, std::int64_t batch) {
    Memory memory;
    memory.data = data;
    memory.wide = tensor.dtype == DType::f32;
    for (const ir::Dim& dim : tensor.dims) {
        memory.extents.push_back(dim.open ? batch : dim.extent);
        memory.strides.push_back(dim.by_row ? dim.stride * row : dim.stride);
    }
    return memory;
}

std::int64_t elements_of(const Memory& memory) {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < memory.extents.size(); ++d) {
        last += (memory.extents[d] - 1) * memory.strides[d];
    }
    return last + 1;
}

std::vector<double> bind_params(const ir::Program& program, const std::map<std::string, double>& params) {
    std::vector<double> values;
    for (const ir::Param& param : program.params) {
        const auto found = params.find(param.name);
        internal_check(found != params.end(), "a parameter is not bound");
        values.push_back(found->second);
    }
    return values;
}

bool next(std::vector<std::int64_t>& at, const std::vector<std::int64_t>& extents) {
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (++at[i] < extents[i]) {
            return true;
        }
        at[i] = 0;
    }
    return false;
}

/// Turns after which every slot has been used twice, and one more.
std::int64_t turns_to_use_slots_again(const ir::Kernel& kernel) {
    std::int64_t turns = 0;
    for (const ir::Buffer& buffer : kernel.buffers) {
        turns = std::max<std::int64_t>(turns, std::int64_t{2} * buffer.slots * buffer.every + 1);
    }
    return turns;
}

void run_persistent(Machine& machine, const ir::Kernel& kernel, std::int64_t batch, const Options& options) {
    std::int64_t tiles = kernel.tiles->at(batch);
    const std::int64_t clusters = std::min(tiles, std::max<std::int64_t>(options.clusters, 1));
    if (options.use_slots_again) {
        tiles = std::max(tiles, clusters * turns_to_use_slots_again(kernel));
    }
    for (std::int64_t cluster = 0; cluster < clusters; ++cluster) {
        const std::vector<std::vector<std::int64_t>> blocks(static_cast<std::size_t>(kernel.cluster));
        machine.run({cluster, blocks, {cluster, clusters, tiles}});
    }
}

/// Clusters are neighbours on the grid's first axis.
void run_grid(Machine& machine, const ir::Program& program, const ir::Kernel& kernel, std::int64_t batch) {
    std::vector<std::int64_t> extents;
    for (const ir::VarId var : kernel.grid) {
        extents.push_back(program.variables[static_cast<std::size_t>(var)].extent.at(batch));
    }
    std::vector<std::int64_t> at(extents.size(), 0);
    ClusterPlace place;
    do {
        place.coordinates.push_back(at);
        if (static_cast<int>(place.coordinates.size()) == kernel.cluster) {
            machine.run(place);
            ++place.number;
            place.coordinates.clear();
        }
    } while (next(at, extents));
}

void run_kernels(const Environment& environment, const Options& options, bool exact) {
    for (const ir::Kernel& kernel : environment.program.kernels) {
        Machine machine(environment, kernel, options, exact);
        if (kernel.tiles) {
            run_persistent(machine, kernel, environment.batch, options);
        } else {
            run_grid(machine, environment.program, kernel, environment.batch);
        }
    }
}

}  // namespace

void run(const ir::Program& program, const Bindings& bindings, const Options& options) {
    if (bindings.batch <= 0) {
        return;
    }
    Storage workspaces;
    Environment environment{program, bindings.batch, {}, bind_params(program, bindings.params)};
    for (const ir::Tensor& tensor : program.tensors) {
        if (tensor.kind == ir::Tensor::Kind::workspace) {
            std::vector<unsigned char>& bytes = workspaces[tensor.argument];
            bytes.resize(static_cast<std::size_t>(tensor.row_elements * bindings.batch) * size_of(tensor.dtype));
            environment.tensors.push_back(describe(tensor, bytes.data(), 0, bindings.batch));
            continue;
        }
        const auto found = bindings.tensors.find(tensor.argument);
        internal_check(found != bindings.tensors.end(), "a tensor is not bound");
        environment.tensors.push_back(describe(tensor, static_cast<unsigned char*>(found->second.data),
                                               found->second.row_stride, bindings.batch));
    }
    run_kernels(environment, options, false);
}

ExactTensors run_exact(const ir::Program& program, const std::map<std::string, double>& params, std::int64_t batch,
                       const Options& options) {
    ExactTensors tensors;
    Environment environment{program, batch, {}, bind_params(program, params)};
    // An argument may be seen as several tensors.
    for (const ir::Tensor& tensor : program.tensors) {
        const auto elements =
            static_cast<std::size_t>(elements_of(describe(tensor, nullptr, tensor.row_elements, batch)));
        std::vector<std::uint64_t>& all = tensors[tensor.argument];
        all.resize(std::max(all.size(), elements), Exact::poison());
    }
    std::uint64_t number = 0;
    for (auto& [argument, elements] : tensors) {
        const auto is_input = [&name = argument](const ir::Tensor& tensor) {
            return tensor.argument == name && tensor.kind == ir::Tensor::Kind::input;
        };
        const bool input = std::any_of(program.tensors.begin(), program.tensors.end(), is_input);
        ++number;
        for (std::size_t i = 0; input && i < elements.size(); ++i) {
            elements[i] = Exact::hash(7, number, i);
        }
    }
    for (const ir::Tensor& tensor : program.tensors) {
        auto* data = reinterpret_cast<unsigned char*>(tensors.at(tensor.argument).data());
        environment.tensors.push_back(describe(tensor, data, tensor.row_elements, batch));
    }
    if (batch > 0) {
        run_kernels(environment, options, true);
    }
    for (const ir::Tensor& tensor : program.tensors) {
        if (tensor.kind != ir::Tensor::Kind::output) {
            tensors.erase(tensor.argument);
        }
    }
    return tensors;
}

}  // namespace tilejit::interpret
