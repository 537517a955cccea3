#include "generator/ir/ir.h"

namespace tilejit::ir {

int Kernel::threads() const {
    int warps = 0;
    for (const Role& role : roles) {
        warps += role.warps;
    }
    return 32 * warps;
}

std::vector<ValueId> inputs_of(const Op& op) {
    return std::visit(Overload{
                          [](const Load&) { return std::vector<ValueId>{}; },
                          [](const Store& o) { return std::vector{o.in}; },
                          [](const SharedLoad&) { return std::vector<ValueId>{}; },
                          [](const SharedStore& o) { return std::vector{o.in}; },
                          [](const Constant&) { return std::vector<ValueId>{}; },
                          [](const Parameter&) { return std::vector<ValueId>{}; },
                          [](const Map& o) { return o.args; },
                          [](const Reduce& o) { return std::vector{o.in}; },
                          [](const Contract& o) {
                              std::vector<ValueId> in{o.a, o.b};
                              if (o.init) {
                                  in.push_back(*o.init);
                              }
                              return in;
                          },
                          [](const Mma& o) {
                              return std::vector{o.weights, o.tokens, o.acc};
                          },
                          [](const Barrier&) { return std::vector<ValueId>{}; },
                          [](const For& o) {
                              std::vector<ValueId> in;
                              for (const For::Carried& c : o.carried) {
                                  in.push_back(c.init);
                              }
                              return in;
                          },
                      },
                      op);
}

std::vector<ValueId> outputs_of(const Op& op) {
    return std::visit(Overload{
                          [](const Load& o) { return std::vector{o.out}; },
                          [](const Store&) { return std::vector<ValueId>{}; },
                          [](const SharedLoad& o) { return std::vector{o.out}; },
                          [](const SharedStore&) { return std::vector<ValueId>{}; },
                          [](const Constant& o) { return std::vector{o.out}; },
                          [](const Parameter& o) { return std::vector{o.out}; },
                          [](const Map& o) { return std::vector{o.out}; },
                          [](const Reduce& o) { return std::vector{o.out}; },
                          [](const Contract& o) { return std::vector{o.out}; },
                          [](const Mma& o) { return std::vector{o.out}; },
                          [](const Barrier&) { return std::vector<ValueId>{}; },
                          [](const For& o) {
                              std::vector<ValueId> out;
                              for (const For::Carried& c : o.carried) {
                                  out.push_back(c.out);
                              }
                              return out;
                          },
                      },
                      op);
}

const char* name_of(Function function) {
    switch (function) {
        case Function::to_f32:
            return "to_f32";
        case Function::to_bf16:
            return "to_bf16";
        case Function::negate:
            return "negate";
        case Function::exp:
            return "exp";
        case Function::sqrt:
            return "sqrt";
        case Function::sigmoid:
            return "sigmoid";
        case Function::add:
            return "add";
        case Function::sub:
            return "sub";
        case Function::mul:
            return "mul";
        case Function::div:
            return "div";
        case Function::min:
            return "min";
        case Function::max:
            return "max";
        case Function::fma:
            return "fma";
    }
    internal_check(false, "unknown function");
    return "";
}

int arity_of(Function function) {
    switch (function) {
        case Function::to_f32:
        case Function::to_bf16:
        case Function::negate:
        case Function::exp:
        case Function::sqrt:
        case Function::sigmoid:
            return 1;
        case Function::add:
        case Function::sub:
        case Function::mul:
        case Function::div:
        case Function::min:
        case Function::max:
            return 2;
        case Function::fma:
            return 3;
    }
    internal_check(false, "unknown function");
    return 0;
}

}  // namespace tilejit::ir
