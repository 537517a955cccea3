#include "generator/interpret/interpret.h"

#include <fmt/format.h>

#include "generator/interpret/block.h"

namespace tilejit::interpret {
namespace {

class Run {
public:
    Run(const ir::Program& program, const Bindings& bindings) : bindings_(bindings), environment_{program, {}, {}} {
        for (const ir::Tensor& tensor : program.tensors) {
            environment_.tensors.push_back(bind(tensor));
        }
        for (const ir::Param& param : program.params) {
            const auto found = bindings.params.find(param.name);
            internal_check(found != bindings.params.end(), "a parameter is not bound");
            environment_.params.push_back(found->second);
        }
    }

    void run() {
        for (const ir::Kernel& kernel : environment_.program.kernels) {
            Block block(environment_, kernel);
            std::vector<std::int64_t> extents;
            for (const ir::VarId var : kernel.grid) {
                extents.push_back(
                    environment_.program.variables[static_cast<std::size_t>(var)].extent.at(bindings_.batch));
            }
            std::vector<std::int64_t> at(extents.size(), 0);
            do {
                block.run(at);
            } while (next(at, extents));
        }
    }

private:
    Memory bind(const ir::Tensor& tensor) {
        Memory memory;
        std::int64_t row = 0;
        if (tensor.kind == ir::Tensor::Kind::workspace) {
            auto& bytes = workspaces_[tensor.argument];
            bytes.resize(static_cast<std::size_t>(tensor.row_elements * bindings_.batch) * size_of(tensor.dtype));
            memory.data = bytes.data();
        } else {
            const auto found = bindings_.tensors.find(tensor.argument);
            internal_check(found != bindings_.tensors.end(), "a tensor is not bound");
            memory.data = static_cast<unsigned char*>(found->second.data);
            row = found->second.row_stride;
        }
        for (const ir::Dim& dim : tensor.dims) {
            memory.extents.push_back(dim.open ? bindings_.batch : dim.extent);
            memory.strides.push_back(dim.by_row ? dim.stride * row : dim.stride);
        }
        return memory;
    }

    static bool next(std::vector<std::int64_t>& at, const std::vector<std::int64_t>& extents) {
        for (std::size_t i = 0; i < at.size(); ++i) {
            if (++at[i] < extents[i]) {
                return true;
            }
            at[i] = 0;
        }
        return false;
    }

    const Bindings& bindings_;
    std::map<std::string, std::vector<unsigned char>> workspaces_;
    Environment environment_;
};

}  // namespace

void run(const ir::Program& lowered, const Bindings& bindings) {
    if (bindings.batch > 0) {
        Run(lowered, bindings).run();
    }
}

}  // namespace tilejit::interpret
