#include "runtime/op/host_run.h"

#include "generator/interpret/interpret.h"

namespace tilejit {

void run_on_host(const ir::Program& program, std::span<const CheckedTensor> tensors, const Params& params,
                 std::int64_t batch) {
    interpret::Bindings bindings;
    for (const CheckedTensor& tensor : tensors) {
        bindings.tensors[tensor.spec->name] = {tensor.data, tensor.row_stride};
    }
    bindings.params.insert(params.begin(), params.end());
    bindings.batch = batch;
    interpret::run(program, bindings);
}

}  // namespace tilejit
