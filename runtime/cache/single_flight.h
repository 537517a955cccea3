/// \file One maker a key; everyone else who asks waits for that one only.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace tilejit {

/// Values by key, made once. Different keys never wait for each other. An exception reaches all who
/// waited for it and is forgotten, so the next to ask tries again.
template <class Value>
class SingleFlight {
public:
    using Pointer = std::shared_ptr<const Value>;

    /// `make()` returns a `Pointer`. Must not ask for the same key.
    template <class Make>
    Pointer get(const std::string& key, const Make& make) {
        std::promise<Pointer> promise;
        std::shared_future<Pointer> future;
        {
            const std::lock_guard lock(mutex_);
            const auto [at, is_new] = values_.try_emplace(key);
            if (!is_new) {
                future = at->second;
            } else {
                at->second = promise.get_future().share();
            }
        }
        if (future.valid()) {
            return future.get();
        }
        try {
            Pointer value = make();
            promise.set_value(value);
            return value;
        } catch (...) {
            {
                const std::lock_guard lock(mutex_);
                values_.erase(key);
            }
            promise.set_exception(std::current_exception());
            throw;
        }
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::shared_future<Pointer>> values_;
};

}  // namespace tilejit
