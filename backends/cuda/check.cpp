#include "backends/cuda/check.hpp"

#include <string>

namespace parallax::cuda {
namespace {

DeviceError::Kind kind_of(cudaError_t code) {
  // Younger than the oldest toolkit that we build with, so known by number.
  constexpr int kContained = 226;
  constexpr int kTensorMemoryLeak = 721;
  switch (static_cast<int>(code)) {
    case cudaErrorMemoryAllocation:
      return DeviceError::Kind::out_of_memory;
    case cudaErrorInvalidKernelImage:
    case cudaErrorInvalidPtx:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilationDisabled:
      return DeviceError::Kind::build_failed;
    // After these every call of the process returns the same error.
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case kContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case kTensorMemoryLeak:
      return DeviceError::Kind::device_lost;
    default:
      return DeviceError::Kind::failed;
  }
}

}  // namespace

void check(cudaError_t code, std::string_view call, std::source_location where) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();
  const DeviceError::Kind kind = kind_of(code);
  // The runtime hands out no compiler log for embedded code; its words are all there is.
  std::string log = kind == DeviceError::Kind::build_failed ? cudaGetErrorString(code) : "";
  throw DeviceError(kind, std::string(call), code, cudaGetErrorName(code), std::move(log), where);
}

}  // namespace parallax::cuda
