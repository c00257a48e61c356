#include <fmt/format.h>

#include <cstring>

#include "workloads/workload.hpp"

namespace parallax {
namespace {

constexpr std::uint32_t kLanes = 256;

/// y = x + x: the smallest workload that there can be.
class Twice : public Workload {
 public:
  std::string_view name() const override { return "twice"; }
  std::vector<Dtype> dtypes() const override { return {Dtype::f32}; }
  std::vector<Variant> variants() const override {
    return {{.name = "naive", .tier = Tier::matched}};
  }
  std::vector<std::string> dims() const override { return {"n"}; }
  std::vector<Size> sizes(Preset) const override { return {{{"n", 1021}}, {{"n", 1 << 16}}}; }
  std::optional<std::string> size_error(const Size& size) const override {
    const std::uint64_t n = size.front().value;
    if (n >= 1 && n <= 1 << 24) return std::nullopt;
    return fmt::format("n={} is out of range; valid: 1 to {}", n, 1 << 24);
  }
  std::vector<BufferSpec> buffers(const Problem& problem) const override {
    const std::uint64_t n = problem.dim("n");
    const std::uint64_t pitch = padded_pitch(n, Dtype::f32);
    return {{.name = "x", .role = Role::in, .columns = n, .pitch = pitch},
            {.name = "y", .role = Role::out, .columns = n, .pitch = pitch}};
  }
  std::vector<Step> steps(const Problem& problem, std::string_view variant) const override {
    const auto n = static_cast<std::uint32_t>(problem.dim("n"));
    return {{.kernel = fmt::format("twice/{}/f32", variant),
             .group_size = {.x = kLanes},
             .groups = spread_groups((n + kLanes - 1) / kLanes),
             .buffers = {0, 1},
             .constants = as_constants(n)}};
  }
  Reference expected(const Problem& problem, Fill, std::span<const Bytes> inputs) const override {
    const std::uint64_t n = problem.dim("n");
    Reference reference{.buffer = 1,
                        .dtype = Dtype::f32,
                        .ranges = {{.first = 0, .count = n}},
                        .values = Bytes(n * sizeof(float)),
                        .scales = {}};
    for (std::uint64_t i = 0; i < n; ++i) {
      float x = 0.0f;
      std::memcpy(&x, inputs[0].data() + i * sizeof x, sizeof x);
      x += x;
      std::memcpy(reference.values.data() + i * sizeof x, &x, sizeof x);
    }
    return reference;
  }
  Tolerance tolerance(const Problem&) const override { return {.metric = "bitwise"}; }
  Cost cost(const Problem& problem) const override {
    const std::uint64_t n = problem.dim("n");
    return {.flops = n,
            .bytes_read = n * sizeof(float),
            .bytes_written = n * sizeof(float),
            .source = "n additions; n elements read, n written"};
  }
};

}  // namespace

const Workload& twice() {
  static const Twice workload;
  return workload;
}

}  // namespace parallax
