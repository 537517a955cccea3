#include "generator/ir/ir.h"

namespace tilejit::ir {

namespace {

using Ids = std::vector<ValueId>;

int warps_of(const Role& role) { return role.warps * role.copies; }

}  // namespace

int Kernel::threads() const {
    int warps = 0;
    bool budgets = false;
    for (const Role& role : roles) {
        warps += warps_of(role);
        budgets = budgets || role.registers > 0;
    }
    return 32 * (budgets ? (warps + 3) / 4 * 4 : warps);
}

int Kernel::first_thread(const Role& role) const {
    int warps = 0;
    for (const Role& before : roles) {
        if (&before == &role) {
            break;
        }
        warps += warps_of(before);
    }
    return 32 * warps;
}

std::vector<ValueId> inputs_of(const Op& op) {
    return std::visit(Overload{
                          [](const Load&) { return Ids{}; },
                          [](const Store& o) { return Ids{o.in}; },
                          [](const SharedLoad&) { return Ids{}; },
                          [](const SharedStore& o) { return Ids{o.in}; },
                          [](const Constant&) { return Ids{}; },
                          [](const Parameter&) { return Ids{}; },
                          [](const Map& o) { return o.args; },
                          [](const Reduce& o) { return Ids{o.in}; },
                          [](const Contract& o) {
                              Ids in{o.a, o.b};
                              if (o.init) {
                                  in.push_back(*o.init);
                              }
                              return in;
                          },
                          [](const Split& o) { return Ids{o.in}; },
                          [](const Select& o) { return Ids{o.in}; },
                          [](const Mma& o) {
                              return Ids{o.weights, o.tokens, o.acc};
                          },
                          [](const Send& o) { return Ids{o.in}; },
                          [](const SendTo& o) { return Ids{o.in}; },
                          [](const OneOf<Fill, Acquire, Release, Drain> auto&) { return Ids{}; },
                          [](const Synchronisation auto&) { return Ids{}; },
                          [](const EngineCopy auto&) { return Ids{}; },
                          [](const For& o) {
                              Ids in;
                              for (const For::Carried& c : o.carried) {
                                  in.push_back(c.init);
                              }
                              return in;
                          },
                          [](const TileLoop&) { return Ids{}; },
                      },
                      op);
}

std::vector<ValueId> outputs_of(const Op& op) {
    return std::visit(
        Overload{
            [](const OneOf<Load, SharedLoad, Constant, Parameter, Map, Reduce, Contract, Split, Select, Mma> auto& o) {
                return Ids{o.out};
            },
            [](const OneOf<Store, SharedStore, SendTo> auto&) { return Ids{}; },
            [](const ChannelUse auto&) { return Ids{}; },
            [](const Synchronisation auto&) { return Ids{}; },
            [](const EngineCopy auto&) { return Ids{}; },
            [](const For& o) {
                Ids out;
                for (const For::Carried& c : o.carried) {
                    out.push_back(c.out);
                }
                return out;
            },
            [](const TileLoop&) { return Ids{}; },
        },
        op);
}

const std::vector<Stmt>* body_of(const Op& op) {
    if (const auto* loop = std::get_if<For>(&op)) {
        return &loop->body;
    }
    if (const auto* loop = std::get_if<TileLoop>(&op)) {
        return &loop->body;
    }
    return nullptr;
}

std::vector<Stmt>* body_of(Op& op) { return const_cast<std::vector<Stmt>*>(body_of(std::as_const(op))); }

int every_of(const Kernel& kernel, const Channel& channel) {
    return channel.kind == Channel::Kind::reduce_scatter ? kernel.cluster : 1;
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
        case Function::reciprocal:
            return "reciprocal";
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
        case Function::reciprocal:
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
