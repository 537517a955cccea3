#include "runtime/log.h"

#include <memory>
#include <mutex>

#include "tilejit/log.h"

namespace tilejit {

namespace {

struct Sink {
    std::mutex mutex;
    LogCallback callback;
};

/// Never destroyed: threads may still log while the process exits.
Sink& sink() {
    static Sink* const kInstance = new Sink;
    return *kInstance;
}

}  // namespace

void set_log_callback(LogCallback callback) {
    const std::lock_guard lock(sink().mutex);
    sink().callback = std::move(callback);
}

void log_message(std::string_view text) {
    LogCallback callback;
    {
        const std::lock_guard lock(sink().mutex);
        callback = sink().callback;
    }
    if (callback) {
        callback(text);
    }
}

}  // namespace tilejit
