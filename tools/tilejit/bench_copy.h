/// \file The yardstick of `bench`: copies of large buffers within the device.
#pragma once

#include <vector>

#include "tools/tilejit/bench_device.h"
#include "tools/tilejit/bench_report.h"

namespace tilejit::cli {

/// Three buffers of random numbers that are copied in turn.
class CopyBuffers {
public:
    explicit CopyBuffers(const BenchDevice& device);

    /// Queues one copy.
    void copy();
    /// Warms up and measures; what was measured before stays part of `rate`.
    void measure();
    CopyRate rate() const;         ///< of all measurements
    CopyRate latest_rate() const;  ///< of the last `measure`

private:
    void* buffer(std::size_t index) const;

    const BenchDevice& device_;
    Tensor memory_;
    std::size_t next_ = 0;
    std::vector<double> latest_us_;
    std::vector<double> all_us_;
};

}  // namespace tilejit::cli
