#include "harness/arithmetic.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

namespace parallax {
namespace {

template <typename T>
std::optional<bool> probe(Device& device, std::string_view kernel_name, int half_bits) {
  KernelOrReason found = device.find_kernel(kernel_name, {});
  if (std::holds_alternative<Absent>(found)) return std::nullopt;
  const auto& kernel = std::get<std::unique_ptr<Kernel>>(found);
  const std::array<T, 2> in = {T{1} + std::ldexp(T{1}, -half_bits),
                               -(T{1} + std::ldexp(T{1}, 1 - half_bits))};
  std::array<T, 1> out{};
  const auto in_buffer = device.allocate(sizeof in);
  const auto out_buffer = device.allocate(sizeof out);
  device.write(*in_buffer, std::as_bytes(std::span(in)));
  const std::array launches = {Launch{.kernel = kernel.get(),
                                      .buffers = {in_buffer.get(), out_buffer.get()},
                                      .constants = {},
                                      .groups = {}}};
  device.run({}, launches, 1);
  device.read(*out_buffer, std::as_writable_bytes(std::span(out)));
  return out[0] == std::ldexp(T{1}, -2 * half_bits);
}

}  // namespace

std::optional<bool> fuses_fma(Device& device, Dtype dtype) {
  // x x has 2 j + 1 bits, more than the type's 24 or 53.
  switch (dtype) {
    case Dtype::f16:
    case Dtype::f32:
      return probe<float>(device, "probe/fma/f32", 12);
    case Dtype::f64:
      return probe<double>(device, "probe/fma/f64", 27);
    case Dtype::i8:
    case Dtype::i32:
      break;
  }
  return std::nullopt;
}

}  // namespace parallax
