/// \file Our declarations of the driver's types against the toolkit's header, where it is installed.
#include "runtime/driver/cuda_api.h"

#include "tests/catch.h"

#if __has_include("/usr/local/cuda/include/cuda.h")
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include "/usr/local/cuda/include/cuda.h"
#pragma GCC diagnostic pop

#include <cstddef>
#include <type_traits>

namespace {

using tilejit::cuda::LaunchAttribute;
using tilejit::cuda::LaunchConfig;

static_assert(std::is_same_v<CUstream, tilejit::cuda::Stream>);
static_assert(std::is_same_v<CUevent, tilejit::cuda::Event>);
static_assert(std::is_same_v<CUcontext, tilejit::cuda::Context>);
static_assert(std::is_same_v<CUmodule, tilejit::cuda::Module>);
static_assert(std::is_same_v<CUfunction, tilejit::cuda::Function>);
static_assert(std::is_same_v<CUdeviceptr, tilejit::cuda::DevicePtr>);
static_assert(std::is_same_v<CUdevice, tilejit::cuda::Device>);

static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(LaunchConfig, grid_x) == offsetof(CUlaunchConfig, gridDimX));
static_assert(offsetof(LaunchConfig, block_x) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(LaunchConfig, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(LaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));

static_assert(tilejit::cuda::kErrorOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(tilejit::cuda::kErrorDeinitialized == CUDA_ERROR_DEINITIALIZED);
static_assert(tilejit::cuda::kErrorNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(tilejit::cuda::kErrorInvalidDevice == CUDA_ERROR_INVALID_DEVICE);
static_assert(tilejit::cuda::kErrorInvalidImage == CUDA_ERROR_INVALID_IMAGE);
static_assert(tilejit::cuda::kErrorInvalidContext == CUDA_ERROR_INVALID_CONTEXT);
static_assert(tilejit::cuda::kErrorNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU);
static_assert(tilejit::cuda::kErrorUnsupportedPtxVersion == CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
static_assert(tilejit::cuda::kErrorInvalidSource == CUDA_ERROR_INVALID_SOURCE);
static_assert(tilejit::cuda::kErrorInvalidHandle == CUDA_ERROR_INVALID_HANDLE);
static_assert(tilejit::cuda::kErrorIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS);
static_assert(tilejit::cuda::kErrorLaunchFailed == CUDA_ERROR_LAUNCH_FAILED);
static_assert(tilejit::cuda::kErrorNotSupported == CUDA_ERROR_NOT_SUPPORTED);
static_assert(tilejit::cuda::kErrorSystemDriverMismatch == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
static_assert(tilejit::cuda::kErrorStreamCaptureUnsupported == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);

static_assert(sizeof(tilejit::cuda::TensorMap) == sizeof(CUtensorMap));
static_assert(alignof(tilejit::cuda::TensorMap) == alignof(CUtensorMap));
static_assert(tilejit::cuda::kMultiprocessorCount == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(tilejit::cuda::kNonPortableClusterSizeAllowed == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
static_assert(tilejit::cuda::kClusterDimension == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(tilejit::cuda::kProgrammaticStreamSerialization == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
static_assert(tilejit::cuda::kTensorMapFloat32 == CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
static_assert(tilejit::cuda::kTensorMapBfloat16 == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
static_assert(tilejit::cuda::kTensorMapInterleaveNone == CU_TENSOR_MAP_INTERLEAVE_NONE);
static_assert(tilejit::cuda::kTensorMapSwizzleNone == CU_TENSOR_MAP_SWIZZLE_NONE);
static_assert(tilejit::cuda::kTensorMapSwizzle128B == CU_TENSOR_MAP_SWIZZLE_128B);
static_assert(tilejit::cuda::kTensorMapL2Promotion128B == CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
static_assert(tilejit::cuda::kTensorMapFillZero == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
static_assert(tilejit::cuda::kL2CacheSize == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(tilejit::cuda::kComputeCapabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(tilejit::cuda::kComputeCapabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(tilejit::cuda::kMaxSharedMemoryPerBlockOptin == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
static_assert(tilejit::cuda::kMaxDynamicSharedSizeBytes == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(tilejit::cuda::kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(tilejit::cuda::kEventDefault == CU_EVENT_DEFAULT);
static_assert(tilejit::cuda::kCaptureStatusNone == CU_STREAM_CAPTURE_STATUS_NONE);

}  // namespace

TEST_CASE("our declarations of the driver's types are those of cuda.h", "[driver]") {
    SUCCEED("checked by the compiler");
}
#endif
