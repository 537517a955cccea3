#include "generator/interpret/events.h"

#include <fmt/format.h>

namespace tilejit::interpret {
namespace {

std::string when(const Event& event) {
    std::string text = event.position < 0 ? "" : fmt::format("position {}", event.position);
    if (event.turn >= 0) {
        text += fmt::format("{}turn {}", text.empty() ? "" : ", ", event.turn);
    }
    return text.empty() ? "" : " (" + text + ")";
}

}  // namespace

std::string Actor::name() const {
    std::string text = role == nullptr ? "all threads" : fmt::format("role `{}`", role->name);
    if (role != nullptr && role->copies > 1) {
        text += fmt::format(" (copy {})", copy);
    }
    return cluster_size > 1 ? text + fmt::format(" of block {}", rank) : text;
}

std::string place(const ir::Location& at) { return fmt::format("{}:{}", at.file, at.line); }

std::string describe(const Event& event) {
    return fmt::format("{} {} at {}{}", event.actor->name(), event.verb, place(event.stmt->at), when(event));
}

void fault(const Event& event, const std::string& what) {
    throw ProtocolError(fmt::format("{}: {}{}: {}", place(event.stmt->at), event.actor->name(), when(event), what));
}

}  // namespace tilejit::interpret
