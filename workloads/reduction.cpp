#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "workloads/parallel.hpp"
#include "workloads/workload.hpp"

namespace parallax {
namespace {

constexpr std::uint64_t kLanes = 256;
// Eight groups for each of the H200's 132 multiprocessors, on every device: Vulkan reports no
// number of multiprocessors to choose by, and every API must launch the same grid.
constexpr std::uint64_t kMaxGroups = 1056;
// Lanes count in 32 bits and look at most one step of the whole grid beyond the last element; a
// step is below 2^23 elements.
constexpr std::uint64_t kMaxElements = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 23);

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

std::uint64_t group_count(std::uint64_t units) {
  return std::min(kMaxGroups, divide_up(units, kLanes));
}

/// A sum and what rounding took from it, in twice the precision of double: the error of a sum of n
/// terms is one rounding of the result plus n^2 2^-106 of the sum of magnitudes.
/// Source: algorithm Sum2 in Ogita, Rump, Oishi, "Accurate sum and dot product", SIAM Journal on
///         Scientific Computing 26(6), 2005; the exact error of an addition is Knuth's TwoSum.
struct ExactSum {
  double sum = 0.0;
  double lost = 0.0;

  void add(double x) {
    const double next = sum + x;
    const double added = next - sum;
    lost += (sum - (next - added)) + (x - added);
    sum = next;
  }
  void add(const ExactSum& other) {
    add(other.sum);
    lost += other.lost;
  }
  [[nodiscard]] double value() const { return sum + lost; }
};

/// Sum and sum of squares of some elements.
struct Moments {
  ExactSum sum;
  double squares = 0.0;
};

template <typename T>
Moments moments_of(const std::byte* bytes, std::uint64_t count) {
  Moments moments;
  for (std::uint64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof value);
    moments.sum.add(value);
    moments.squares += static_cast<double>(value) * static_cast<double>(value);
  }
  return moments;
}

/// Reference for the one element of `sum`.
template <typename T>
Reference one_value(Dtype dtype, T value, std::vector<double> scales = {}) {
  Reference reference{.buffer = 2,
                      .dtype = dtype,
                      .ranges = {{.first = 0, .count = 1}},
                      .values = Bytes(sizeof value),
                      .scales = std::move(scales)};
  std::memcpy(reference.values.data(), &value, sizeof value);
  return reference;
}

/// The sum of n elements. Two launches: one sum per group, then the sum of those by one group.
class Reduction : public Workload {
 public:
  std::string_view name() const override { return "reduction"; }
  std::vector<Dtype> dtypes() const override { return {Dtype::f32, Dtype::f64, Dtype::i32}; }
  std::vector<Variant> variants() const override {
    return {{.name = "tree", .tier = Tier::matched},
            {.name = "vec4", .tier = Tier::matched},
            {.name = "subgroup", .tier = Tier::tuned}};
  }
  std::vector<std::string> dims() const override { return {"n"}; }

  std::vector<Size> sizes(Preset preset) const override {
    // 1, 999, 1021 and 2^24 + 1 are no multiples of a vector or of a group.
    std::vector<std::uint64_t> counts;
    switch (preset) {
      case Preset::quick:
        counts = {1021, 1 << 20};
        break;
      case Preset::ci:
        counts = {1021, 1 << 20, 1 << 24};
        break;
      case Preset::standard:
        counts = {1 << 20, (1 << 24) + 1, 1 << 28};
        break;
      case Preset::full:
        counts = {1, 999, (1 << 24) + 1};
        for (unsigned power = 16; power <= 30; ++power) counts.push_back(1u << power);
        std::ranges::sort(counts);
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
    const auto vector = [&](std::string_view name, Role role, std::uint64_t count) {
      return BufferSpec{.name = std::string(name),
                        .role = role,
                        .dtype = problem.dtype,
                        .columns = count,
                        .pitch = padded_pitch(count, problem.dtype)};
    };
    const std::uint64_t n = problem.dim("n");
    // Scalar loads make the most groups.
    return {vector("in", Role::in, n), vector("partials", Role::scratch, group_count(n)),
            vector("sum", Role::out, 1)};
  }

  std::vector<Step> steps(const Problem& problem, std::string_view variant) const override {
    struct Constants {
      std::uint32_t n;
    };
    const auto step = [&](std::string_view algorithm, std::uint64_t n, std::uint64_t groups,
                          std::vector<std::uint32_t> buffers) {
      return Step{.kernel = fmt::format("reduction/{}/{}", algorithm, to_string(problem.dtype)),
                  .group_size = {.x = kLanes},
                  .groups = {.x = static_cast<std::uint32_t>(groups)},
                  .buffers = std::move(buffers),
                  .constants = as_constants(Constants{static_cast<std::uint32_t>(n)})};
    };
    const std::uint64_t n = problem.dim("n");
    const std::uint64_t groups = group_count(variant == "tree" ? n : vectors_of(problem));
    return {step(variant, n, groups, {0, 1}),
            step(variant == "subgroup" ? variant : "tree", groups, 1, {1, 2})};
  }

  Reference expected(const Problem& problem, Fill fill,
                     std::span<const Bytes> inputs) const override {
    switch (problem.dtype) {
      case Dtype::f32:
        return sum_floats<float>(problem, fill, inputs.front());
      case Dtype::f64:
        return sum_floats<double>(problem, fill, inputs.front());
      default:
        return sum_integers(problem, inputs.front());
    }
  }

  // i32 is added modulo 2^32: every order gives the same bits.
  //
  // Floats: the error is that of one sum over the Euclidean norm of what was summed. A sum of m
  // independent terms of mean 0 and mean square s^2 is of size s sqrt(m), and the addition that
  // completes it rounds by at most u times that. Take u as the standard deviation of a relative
  // rounding error, which is generous by sqrt(3) (uniform on [-u, u]): enough for the rounding of
  // an f64 reference and the few levels more of a fold over small subgroups. Roundings are taken as
  // independent with mean 0 (Higham, Mary, "Sharper probabilistic backward error analysis for basic
  // linear algebra kernels with random data", SIAM Journal on Scientific Computing 42(5), 2020), so
  // that their squares add up: u^2 s^2 times the sum of m over all additions. Every element takes
  // part in at most L of them, so that sum is at most n L, and with |x| = s sqrt(n) the error is u
  // |x| sqrt(L) rms. Six times that is the limit. The one element that is checked is its own rms.
  Tolerance tolerance(const Problem& problem) const override {
    if (problem.dtype == Dtype::i32) return {.metric = "bitwise"};
    const double u = problem.dtype == Dtype::f64 ? 0x1p-53 : 0x1p-24;
    const double limit = 6.0 * u * std::sqrt(static_cast<double>(levels(problem)));
    return {.metric = "scaled_error", .limit = limit, .rms_limit = limit};
  }

  Cost cost(const Problem& problem) const override {
    const std::uint64_t n = problem.dim("n");
    const std::uint64_t width = size_bytes(problem.dtype);
    return {.flops = problem.dtype == Dtype::i32 ? 0 : n - 1,
            .bytes_read = n * width,
            .bytes_written = width,
            .source = "n - 1 additions join n elements; n elements read, 1 written"};
  }

 private:
  static std::uint64_t vectors_of(const Problem& problem) {
    return padded_pitch(problem.dim("n"), problem.dtype) * size_bytes(problem.dtype) / 16;
  }

  /// Additions on the longest way from an element to the sum, of the variant where it is longest:
  /// those of an accumulator, log2 of its vector's components, 8 for 256 lanes, then the same over
  /// the groups.
  static std::uint64_t levels(const Problem& problem) {
    const auto of = [](std::uint64_t units, std::uint64_t fold) {
      const std::uint64_t groups = group_count(units);
      return divide_up(units, groups * kLanes) + fold + 8 + divide_up(groups, kLanes) + 8;
    };
    const std::uint64_t fold = problem.dtype == Dtype::f64 ? 1 : 2;
    return std::max(of(problem.dim("n"), 0), of(vectors_of(problem), fold));
  }

  template <typename T>
  static Reference sum_floats(const Problem& problem, Fill fill, const Bytes& in) {
    // Blocks of fixed size, so that the result does not depend on the number of threads.
    constexpr std::uint64_t kBlock = 1 << 16;
    const std::uint64_t n = problem.dim("n");
    std::vector<Moments> blocks(divide_up(n, kBlock));
    const auto sum_blocks = [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t b = first; b < last; ++b) {
        blocks[b] =
            moments_of<T>(in.data() + b * kBlock * sizeof(T), std::min(kBlock, n - b * kBlock));
      }
    };
    parallel_ranges(blocks.size(), sum_blocks, 1);
    Moments all;
    for (const Moments& block : blocks) {
      all.sum.add(block.sum);
      all.squares += block.squares;
    }
    // A sum of random signs stays far below 2^24: exact in the dtype.
    if (fill == Fill::integers) return one_value(problem.dtype, static_cast<T>(all.sum.value()));
    return one_value(Dtype::f64, all.sum.value(), {std::sqrt(all.squares)});
  }

  static Reference sum_integers(const Problem& problem, const Bytes& in) {
    std::atomic<std::uint32_t> sum = 0;
    parallel_ranges(problem.dim("n"), [&](std::uint64_t first, std::uint64_t last) {
      std::uint32_t part = 0;
      for (std::uint64_t i = first; i < last; ++i) {
        std::uint32_t value;
        std::memcpy(&value, in.data() + i * sizeof value, sizeof value);
        part += value;
      }
      sum += part;
    });
    return one_value(problem.dtype, sum.load());
  }
};

}  // namespace

const Workload& reduction() {
  static const Reduction workload;
  return workload;
}

}  // namespace parallax
