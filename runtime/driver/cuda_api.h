/// \file The part of the CUDA Driver API that the runtime uses, declared here so that building needs
/// no CUDA header and linking needs no libcuda. Layouts and values are those of `cuda.h` 13.0;
/// `tests/runtime/cuda_api_layout.cpp` compares them with the header where it is installed.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;

namespace tilejit::cuda {

using Result = int;
using Device = int;
using Context = CUctx_st*;
using Module = CUmod_st*;
using Function = CUfunc_st*;
using Stream = CUstream_st*;
using Event = CUevent_st*;
using DevicePtr = unsigned long long;

inline constexpr Result kSuccess = 0;
inline constexpr Result kErrorInvalidValue = 1;
inline constexpr Result kErrorOutOfMemory = 2;
inline constexpr Result kErrorDeinitialized = 4;
inline constexpr Result kErrorNoDevice = 100;
inline constexpr Result kErrorInvalidDevice = 101;
inline constexpr Result kErrorInvalidImage = 200;
inline constexpr Result kErrorInvalidContext = 201;
inline constexpr Result kErrorNoBinaryForGpu = 209;
inline constexpr Result kErrorUnsupportedPtxVersion = 222;
inline constexpr Result kErrorInvalidSource = 300;
inline constexpr Result kErrorInvalidHandle = 400;
inline constexpr Result kErrorNotFound = 500;
inline constexpr Result kErrorIllegalAddress = 700;
inline constexpr Result kErrorLaunchOutOfResources = 701;
inline constexpr Result kErrorLaunchFailed = 719;
inline constexpr Result kErrorNotSupported = 801;
inline constexpr Result kErrorSystemDriverMismatch = 803;
inline constexpr Result kErrorStreamCaptureUnsupported = 900;

inline constexpr int kMultiprocessorCount = 16;  ///< `CU_DEVICE_ATTRIBUTE_...`
inline constexpr int kL2CacheSize = 38;          ///< in bytes
inline constexpr int kComputeCapabilityMajor = 75;
inline constexpr int kComputeCapabilityMinor = 76;
inline constexpr int kMaxSharedMemoryPerBlockOptin = 97;
inline constexpr int kMemoryPoolsSupported = 115;
inline constexpr int kMaxDynamicSharedSizeBytes = 8;  ///< `CU_FUNC_ATTRIBUTE_...`
inline constexpr int kNonPortableClusterSizeAllowed = 14;
inline constexpr unsigned int kClusterDimension = 4;  ///< `CU_LAUNCH_ATTRIBUTE_...`
inline constexpr unsigned int kProgrammaticStreamSerialization = 6;
inline constexpr int kTensorMapFloat32 = 7;  ///< `CU_TENSOR_MAP_DATA_TYPE_...`
inline constexpr int kTensorMapBfloat16 = 9;
inline constexpr int kTensorMapInterleaveNone = 0;
inline constexpr int kTensorMapSwizzleNone = 0;
inline constexpr int kTensorMapSwizzle128B = 3;
inline constexpr int kTensorMapL2Promotion128B = 2;
inline constexpr int kTensorMapFillZero = 0;           ///< `CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE`
inline constexpr int kCaptureStatusNone = 0;           ///< `CU_STREAM_CAPTURE_STATUS_NONE`
inline constexpr unsigned int kStreamNonBlocking = 1;  ///< `CU_STREAM_NON_BLOCKING`
inline constexpr unsigned int kEventDefault = 0;       ///< `CU_EVENT_DEFAULT`: with timing

/// `CUlaunchAttribute`: an id and 64 bytes whose meaning the id gives.
struct LaunchAttribute {
    unsigned int id = 0;
    char pad[4] = {};
    alignas(8) char value[64] = {};
};

/// `CUtensorMap`: 128 bytes that only the driver and the device understand.
struct alignas(128) TensorMap {
    std::uint64_t opaque[16] = {};
};

/// `CUlaunchConfig`.
struct LaunchConfig {
    unsigned int grid_x = 1;
    unsigned int grid_y = 1;
    unsigned int grid_z = 1;
    unsigned int block_x = 1;
    unsigned int block_y = 1;
    unsigned int block_z = 1;
    unsigned int shared_bytes = 0;
    Stream stream = nullptr;
    LaunchAttribute* attributes = nullptr;
    unsigned int attribute_count = 0;
};

/// The driver's entry points. Filled by `load_driver()`; tests fill one of their own.
struct DriverApi {
    Result (*init)(unsigned int flags) = nullptr;
    Result (*driver_get_version)(int* version) = nullptr;
    Result (*get_error_name)(Result error, const char** text) = nullptr;
    Result (*get_error_string)(Result error, const char** text) = nullptr;

    Result (*device_get_count)(int* count) = nullptr;
    Result (*device_get)(Device* device, int ordinal) = nullptr;
    Result (*device_get_attribute)(int* value, int attribute, Device device) = nullptr;
    Result (*device_get_name)(char* name, int length, Device device) = nullptr;

    Result (*device_primary_ctx_retain)(Context* context, Device device) = nullptr;
    Result (*device_primary_ctx_release)(Device device) = nullptr;
    Result (*ctx_push_current)(Context context) = nullptr;
    Result (*ctx_pop_current)(Context* context) = nullptr;

    Result (*module_load_data)(Module* module, const void* image) = nullptr;
    Result (*module_unload)(Module module) = nullptr;
    Result (*module_get_function)(Function* function, Module module, const char* name) = nullptr;
    Result (*func_set_attribute)(Function function, int attribute, int value) = nullptr;
    Result (*occupancy_max_active_blocks)(int* count, Function function, int threads,
                                          std::size_t shared_bytes) = nullptr;
    Result (*occupancy_max_active_clusters)(int* count, Function function, const LaunchConfig* config) = nullptr;
    Result (*tensor_map_encode_tiled)(TensorMap* map, int dtype, std::uint32_t rank, void* address,
                                      const std::uint64_t* extents, const std::uint64_t* strides,
                                      const std::uint32_t* box, const std::uint32_t* element_strides, int interleave,
                                      int swizzle, int promotion, int fill) = nullptr;
    Result (*launch_kernel_ex)(const LaunchConfig* config, Function function, void** args, void** extra) = nullptr;

    Result (*mem_alloc_async)(DevicePtr* address, std::size_t bytes, Stream stream) = nullptr;
    Result (*mem_free_async)(DevicePtr address, Stream stream) = nullptr;
    Result (*memcpy_htod_async)(DevicePtr to, const void* from, std::size_t bytes, Stream stream) = nullptr;
    Result (*memcpy_dtoh_async)(void* to, DevicePtr from, std::size_t bytes, Stream stream) = nullptr;
    Result (*memcpy_dtod_async)(DevicePtr to, DevicePtr from, std::size_t bytes, Stream stream) = nullptr;
    Result (*mem_get_info)(std::size_t* free_bytes, std::size_t* total_bytes) = nullptr;

    Result (*stream_create)(Stream* stream, unsigned int flags) = nullptr;
    Result (*stream_destroy)(Stream stream) = nullptr;
    Result (*stream_synchronize)(Stream stream) = nullptr;
    Result (*stream_is_capturing)(Stream stream, int* status) = nullptr;
    Result (*event_create)(Event* event, unsigned int flags) = nullptr;
    Result (*event_destroy)(Event event) = nullptr;
    Result (*event_record)(Event event, Stream stream) = nullptr;
    Result (*event_synchronize)(Event event) = nullptr;
    Result (*event_elapsed_time)(float* milliseconds, Event from, Event to) = nullptr;
};

}  // namespace tilejit::cuda
