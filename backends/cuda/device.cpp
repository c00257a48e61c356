#include "backends/cuda/device.hpp"

#include <cassert>
#include <charconv>

namespace parallax::cuda {
namespace {

int ordinal_of(std::string_view id) {
  const std::string_view digits = id.substr(id.find(':') + 1);
  int ordinal = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return ordinal;
}

Owner<cudaEvent_t> make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDefault), "cudaEventCreateWithFlags");
  return {event, cudaEventDestroy};
}

/// The runtime fills with bytes only; the driver's fill by words is fetched at run time, so that
/// nothing links libcuda.
PFN_cuMemsetD32Async_v3020 find_memset_words() {
  constexpr unsigned kVersion = 12000;  // the version whose signature the type above describes
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const char* call = "cudaGetDriverEntryPointByVersion(cuMemsetD32Async)";
  check(cudaGetDriverEntryPointByVersion("cuMemsetD32Async", &function, kVersion, cudaEnableDefault,
                                         &found),
        call);
  if (found != cudaDriverEntryPointSuccess) check(cudaErrorSymbolNotFound, call);
  return reinterpret_cast<PFN_cuMemsetD32Async_v3020>(function);
}

}  // namespace

Device::Device(DeviceInfo info) : info_(std::move(info)), ordinal_(ordinal_of(info_.id)) {
  make_current();
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  stream_ = {stream, cudaStreamDestroy};
  before_ = make_event();
  start_ = make_event();
  end_ = make_event();
  memset_words_ = find_memset_words();
}

Device::~Device() { assert(live_ == 0 && "buffers and kernels must die before their device"); }

void Device::make_current() const { check(cudaSetDevice(ordinal_), "cudaSetDevice"); }

}  // namespace parallax::cuda
