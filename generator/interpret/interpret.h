/// \file Lowered program in, numbers in the caller's memory out: the `host` target.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "generator/ir/ir.h"

namespace tilejit::interpret {

struct TensorData {
    void* data = nullptr;
    std::int64_t row_stride = 0;  ///< elements between rows (second-to-last axis)
};

struct Bindings {
    std::map<std::string, TensorData> tensors;
    std::map<std::string, double> params;
    std::int64_t batch = 0;
};

/// Runs every kernel of `lowered` on the calling thread, block after block. Workspaces are its own.
/// Needs every tensor and parameter of the program bound; tensors are CPU memory of the program's
/// dtypes. Arithmetic is fp32 in the order the program says.
void run(const ir::Program& lowered, const Bindings& bindings);

}  // namespace tilejit::interpret
