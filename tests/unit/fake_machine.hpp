/// A machine of fake devices for tests of what comes above the device interface.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/inventory.hpp"
#include "tests/fake/fake.hpp"

namespace parallax {

class FakeMachine : public ::testing::Test {
 protected:
  FakeMachine() { reset(); }

  /// Takes all APIs away.
  void reset() {
    slots().clear();
    entries_.clear();
    backends_.reset();
  }

  /// Adds an API; `json` is an API object of a fake script (fake.hpp).
  void add(const std::string& name, const std::string& json) {
    slots().push_back({name, json});
    entries_.push_back({name, kMakers.at(slots().size() - 1), ""});
  }

  /// Adds an API that is left out of the build.
  void add_absent(const std::string& name, const std::string& reason) {
    entries_.push_back({name, nullptr, reason});
  }

  const Backends& backends() {
    if (!backends_) backends_.emplace(entries_);
    return *backends_;
  }

 private:
  struct Slot {
    std::string name, json;
  };
  // Entries of a registry are plain functions, so what they make is looked up by their number.
  static std::vector<Slot>& slots() {
    static std::vector<Slot> slots;
    return slots;
  }
  template <std::size_t kIndex>
  static std::unique_ptr<Backend> make() {
    return fake::make_backend(slots().at(kIndex).name, slots().at(kIndex).json);
  }
  static constexpr std::array<std::unique_ptr<Backend> (*)(), 4> kMakers = {make<0>, make<1>,
                                                                            make<2>, make<3>};

  std::vector<BackendEntry> entries_;
  std::optional<Backends> backends_;
};

}  // namespace parallax
