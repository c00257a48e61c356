#pragma once

#include <utility>

namespace parallax {

/// Owns one native handle and gives it back through `deleter(handle)` on destruction. Move-only.
/// The deleter must not throw; a moved-from or default-constructed owner holds T{} and calls
/// nothing.
template <typename T, typename Deleter>
class Handle {
 public:
  Handle() = default;
  Handle(T value, Deleter deleter) : value_(value), deleter_(std::move(deleter)) {}
  Handle(Handle&& other) noexcept
      : value_(std::exchange(other.value_, T{})), deleter_(std::move(other.deleter_)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      value_ = std::exchange(other.value_, T{});
      deleter_ = std::move(other.deleter_);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  [[nodiscard]] T get() const { return value_; }
  explicit operator bool() const { return value_ != T{}; }

  void reset() noexcept {
    if (value_ != T{}) deleter_(std::exchange(value_, T{}));
  }

 private:
  T value_{};
  Deleter deleter_{};
};

}  // namespace parallax
