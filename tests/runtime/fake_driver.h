/// \file A driver that keeps a diary instead of driving: no GPU, no libcuda.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/driver/cuda_api.h"

namespace tilejit::testing {

/// One `cuLaunchKernelEx`: its configuration and the first 8 bytes of each argument.
struct FakeLaunch {
    std::string symbol;
    cuda::LaunchConfig config;
    std::vector<cuda::LaunchAttribute> attributes;
    std::vector<std::uint64_t> args;  ///< of a map for the copy engine: its number in `maps`, plus `kFirstMap`
    bool aligned = true;              ///< maps are at multiples of 128 bytes
    cuda::Context context = nullptr;  ///< current at the launch
};

/// One `cuTensorMapEncodeTiled`.
struct FakeMap {
    int dtype = 0;
    std::uint64_t address = 0;
    std::vector<std::uint64_t> extents;
    std::vector<std::uint64_t> strides;
    std::vector<std::uint32_t> box;
    std::vector<std::uint32_t> element_strides;
    int swizzle = 0;
};

/// What the fake has seen and how it behaves. One at a time; `api()` belongs to the latest.
class FakeDriver {
public:
    static constexpr std::uint64_t kFirstMap = 0x4d41500000000000;

    int devices = 1;
    int capability_major = 9;
    int capability_minor = 0;
    int driver_version = 13000;
    int shared_optin = 232448;
    int multiprocessors = 132;
    int blocks_that_fit = 2;    ///< a multiprocessor
    int clusters_that_fit = 7;  ///< the device
    bool capturing = false;
    std::string fail_call;                       ///< the call that fails, `cuLaunchKernelEx`
    cuda::Result fail_with = 719;                ///< with this result
    int fail_after = 0;                          ///< after so many successes
    std::map<std::string, std::size_t> args_of;  ///< arguments to read at a launch, by symbol

    std::vector<std::string> calls;  ///< names, in order
    std::vector<FakeLaunch> launches;
    std::vector<cuda::Context> contexts;  ///< the calling thread's stack
    std::map<cuda::DevicePtr, cuda::Stream> allocated;
    std::vector<std::pair<cuda::DevicePtr, cuda::Stream>> freed;
    std::map<std::string, int> attributes;  ///< dynamic shared memory by symbol
    std::vector<std::string> wide;          ///< symbols that may have clusters of more than 8 blocks
    std::vector<FakeMap> maps;
    std::vector<FakeLaunch> asked;  ///< configurations that occupancy was asked of
    int modules = 0;                ///< loaded now
    int retained = 0;               ///< primary contexts

    FakeDriver();
    ~FakeDriver();
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;

    cuda::DriverApi api() const;
    int count(const std::string& call) const;
    static cuda::Context context_of(int device);

    cuda::Result enter(const char* call);
    std::map<std::string, int> symbols;  ///< functions handed out
    cuda::DevicePtr next_address = 0x7f0000000000;

private:
    int successes_ = 0;
};

/// The stream that tests launch on.
inline cuda::Stream stream_number(std::uintptr_t number) { return reinterpret_cast<cuda::Stream>(number << 8); }

}  // namespace tilejit::testing
