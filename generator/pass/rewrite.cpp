#include "generator/pass/rewrite.h"

namespace tilejit::pass {

void rewrite(std::vector<ir::Stmt>& body, const std::function<Replacement(const ir::Stmt&)>& replacement) {
    std::vector<ir::Stmt> result;
    result.reserve(body.size());
    for (ir::Stmt& stmt : body) {
        if (Replacement ops = replacement(stmt)) {
            for (ir::Op& op : *ops) {
                result.push_back({std::move(op), stmt.at});
            }
            continue;
        }
        if (std::vector<ir::Stmt>* inner = ir::body_of(stmt.op)) {
            rewrite(*inner, replacement);
        }
        result.push_back(std::move(stmt));
    }
    body = std::move(result);
}

ir::SyncId add_sync(ir::Kernel& kernel, const std::string& name, int slots, int every, int arrivals) {
    kernel.syncs.push_back({name, slots, every, arrivals, -1});
    return static_cast<ir::SyncId>(kernel.syncs.size() - 1);
}

std::int64_t elements_of(const ir::Program& program, const std::vector<ir::AxisId>& axes) {
    std::int64_t count = 1;
    for (const ir::AxisId axis : axes) {
        count *= program.axes[static_cast<std::size_t>(axis)].extent;
    }
    return count;
}

std::vector<int> dense_strides(const ir::Program& program, const std::vector<ir::AxisId>& axes) {
    std::vector<int> strides(axes.size(), 1);
    for (std::size_t i = axes.size(); i-- > 1;) {
        strides[i - 1] = strides[i] * program.axes[static_cast<std::size_t>(axes[i])].extent;
    }
    return strides;
}

}  // namespace tilejit::pass
