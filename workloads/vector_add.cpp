#include <fmt/format.h>

#include <cstring>

#include "workloads/half.hpp"
#include "workloads/parallel.hpp"
#include "workloads/workload.hpp"

namespace parallax {
namespace {

constexpr std::uint32_t kLanes = 256;
// Kernels count elements in 32 bits, those of excess lanes included: the last row of groups may be
// nearly empty (32,768 groups of 256).
constexpr std::uint64_t kMaxElements = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 23);

/// c = a + b over n elements, rounded once. Every variant and every API must give the same bits.
class VectorAdd : public Workload {
 public:
  std::string_view name() const override { return "vector_add"; }
  std::vector<Dtype> dtypes() const override {
    return {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::i32};
  }
  std::vector<Variant> variants() const override {
    return {{.name = "naive", .tier = Tier::matched}, {.name = "vec4", .tier = Tier::matched}};
  }
  std::vector<std::string> dims() const override { return {"n"}; }

  std::vector<Size> sizes(Preset preset) const override {
    // 1, 7, 499, 1021 and 2^24 + 1 are no multiples of a vector or of a group.
    std::vector<std::uint64_t> counts;
    switch (preset) {
      case Preset::quick:
        counts = {1021, 1 << 16, 1 << 20};
        break;
      case Preset::ci:
        counts = {1021, 1 << 20, 1 << 24};
        break;
      case Preset::standard:
        counts = {1021, 1 << 20, 1 << 28};
        break;
      case Preset::full:
        counts = {1, 7, 499, 1021};
        for (unsigned power = 16; power <= 29; ++power) counts.push_back(1u << power);
        counts.insert(counts.end() - 5, (1 << 24) + 1);
        break;
    }
    std::vector<Size> sizes;
    for (std::uint64_t n : counts) sizes.push_back({{"n", n}});
    return sizes;
  }

  std::optional<std::string> size_error(const Size& size) const override {
    const std::uint64_t n = size.front().value;
    if (n >= 1 && n <= kMaxElements) return std::nullopt;
    return fmt::format("n={} is out of range; valid: 1 to {}", n, kMaxElements);
  }

  std::vector<BufferSpec> buffers(const Problem& problem) const override {
    const std::uint64_t n = problem.dim("n");
    const auto vector = [&](const char* name, Role role) {
      return BufferSpec{.name = name,
                        .role = role,
                        .dtype = problem.dtype,
                        .columns = n,
                        .pitch = padded_pitch(n, problem.dtype),
                        .free_padding = true};
    };
    return {vector("a", Role::in), vector("b", Role::in), vector("c", Role::out)};
  }

  std::vector<Step> steps(const Problem& problem, std::string_view variant) const override {
    struct Constants {
      std::uint32_t count;
    };
    // One lane takes one element (naive) or sixteen bytes (vec4).
    const BufferSpec a = buffers(problem).front();
    const std::uint64_t units = variant == "vec4" ? a.size_bytes() / 16 : a.columns;
    return {{.kernel = fmt::format("vector_add/{}/{}", variant, to_string(problem.dtype)),
             .group_size = {.x = kLanes},
             .groups = spread_groups((units + kLanes - 1) / kLanes),
             .buffers = {0, 1, 2},
             .constants = as_constants(Constants{static_cast<std::uint32_t>(units)})}};
  }

  Reference expected(const Problem& problem, Fill, std::span<const Bytes> inputs) const override {
    switch (problem.dtype) {
      case Dtype::f16:
        return add_all<Half>(problem, inputs, [](Half a, Half b) {
          return Half(static_cast<float>(a) + static_cast<float>(b));
        });
      case Dtype::f32:
        // The double sum of two floats rounds to the float sum: 53 >= 2 x 24 + 2 bits (Figueroa,
        // "When is double rounding innocuous?", SIGNUM 1995).
        return add_all<float>(problem, inputs, [](float a, float b) {
          return static_cast<float>(static_cast<double>(a) + static_cast<double>(b));
        });
      case Dtype::f64:
        return add_all<double>(problem, inputs, std::plus<>{});
      case Dtype::i8:
      case Dtype::i32:
        break;
    }
    return add_all<std::uint32_t>(problem, inputs, std::plus<>{});
  }

  // One correctly rounded addition: every conforming implementation gives the same bits.
  Tolerance tolerance(const Problem&) const override { return {.metric = "bitwise"}; }

  Cost cost(const Problem& problem) const override {
    const std::uint64_t n = problem.dim("n");
    const std::uint64_t width = size_bytes(problem.dtype);
    return {.flops = problem.dtype == Dtype::i32 ? 0 : n,
            .bytes_read = 2 * n * width,
            .bytes_written = n * width,
            .source = "n additions; 2 n elements read, n written (McCalpin, STREAM, Add)"};
  }

 private:
  template <typename T, typename Add>
  static Reference add_all(const Problem& problem, std::span<const Bytes> inputs, Add add) {
    const std::uint64_t n = problem.dim("n");
    Reference reference{.buffer = 2,
                        .dtype = problem.dtype,
                        .ranges = {{.first = 0, .count = n}},
                        .values = Bytes(n * sizeof(T)),
                        .scales = {}};
    parallel_ranges(n, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        T a;
        T b;
        std::memcpy(&a, inputs[0].data() + i * sizeof(T), sizeof a);
        std::memcpy(&b, inputs[1].data() + i * sizeof(T), sizeof b);
        const T sum = add(a, b);
        std::memcpy(reference.values.data() + i * sizeof(T), &sum, sizeof sum);
      }
    });
    return reference;
  }
};

}  // namespace

const Workload& vector_add() {
  static const VectorAdd workload;
  return workload;
}

}  // namespace parallax
