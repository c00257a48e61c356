/// What the contract tests share: every device of this machine, opened for one test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/registry.hpp"

namespace parallax {

/// The backend of an API, made once for the process; nullptr when it is left out of the build.
/// Never destroyed: at the end of a process drivers may be gone before its static objects.
inline Backend* backend_of(const std::string& api) {
  static auto& made = *new std::map<std::string, std::unique_ptr<Backend>>;
  for (const BackendEntry& entry : all_backends()) {
    if (entry.name != api || entry.make == nullptr) continue;
    auto& backend = made[api];
    if (!backend) backend = entry.make();
    return backend.get();
  }
  return nullptr;
}

inline std::vector<std::string> all_apis() {
  std::vector<std::string> apis;
  for (const BackendEntry& entry : all_backends()) apis.push_back(entry.name);
  return apis;
}

/// Ids of every device of every API, aliases too.
inline std::vector<std::string> all_devices() {
  std::vector<std::string> ids;
  for (const std::string& api : all_apis()) {
    if (Backend* backend = backend_of(api)) {
      for (const DeviceInfo& info : backend->list().devices) ids.push_back(info.id);
    }
  }
  return ids;
}

inline std::string api_of(const std::string& id) { return id.substr(0, id.find(':')); }

/// Names an instance in test lists: "opencl:0" as "opencl_0".
inline std::string test_name(const ::testing::TestParamInfo<std::string>& param) {
  std::string name = param.param;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

/// One device, opened before each test and closed after it.
class OnDevice : public ::testing::TestWithParam<std::string> {
 protected:
  OnDevice() : device_(backend_of(api_of(GetParam()))->open(GetParam())) {}

  [[nodiscard]] const DeviceInfo& info() const { return device_->info(); }

  std::unique_ptr<Kernel> kernel(const std::string& name, Extent3 group_size) {
    KernelOrReason found = device_->find_kernel(name, group_size);
    if (auto* absent = std::get_if<Absent>(&found)) {
      throw std::runtime_error(name + ": " + absent->reason);
    }
    return std::get<std::unique_ptr<Kernel>>(std::move(found));
  }

  template <typename T>
  std::unique_ptr<Buffer> upload(const std::vector<T>& values) {
    auto buffer = device_->allocate(values.size() * sizeof(T));
    device_->write(*buffer, std::as_bytes(std::span(values)));
    return buffer;
  }

  template <typename T>
  std::vector<T> download(const Buffer& buffer) {
    std::vector<T> values(buffer.size_bytes() / sizeof(T));
    device_->read(buffer, std::as_writable_bytes(std::span(values)));
    return values;
  }

  /// Runs launches once outside any bracket.
  void run_once(const std::vector<Launch>& launches) { device_->run({}, launches, 1); }

  std::unique_ptr<Device> device_;
};

}  // namespace parallax
