#pragma once

namespace parallax {

/// Counts an object of a device for as long as it lives, so that a device that dies before its
/// buffers and kernels is noticed.
class Counted {
 public:
  explicit Counted(int& count) : count_(count) { ++count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --count_; }

 private:
  int& count_;
};

}  // namespace parallax
