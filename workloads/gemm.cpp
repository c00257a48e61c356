#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

#include "workloads/half.hpp"
#include "workloads/parallel.hpp"
#include "workloads/workload.hpp"

namespace parallax {
namespace {

constexpr std::uint32_t kLanes = 256;
// Kernels count elements of a matrix, padding included, in 32 bits.
constexpr std::uint64_t kMaxElements = (std::uint64_t{1} << 32) - (std::uint64_t{1} << 23);
// Beyond this many operations the reference covers sampled rows.
constexpr std::uint64_t kAllRows = std::uint64_t{1} << 29;
// Rows of the lowest tile among the variants, so that a row of every band touches every tile of each.
constexpr std::uint64_t kBand = 16;

/// One element type as stored and as the reference reads it.
template <Dtype dtype>
struct Element;
template <>
struct Element<Dtype::f16> {
  using Stored = Half;
  using Wide = float;
  using Sum = double;
};
template <>
struct Element<Dtype::f32> {
  using Stored = float;
  using Wide = float;
  using Sum = double;
};
template <>
struct Element<Dtype::f64> {
  using Stored = double;
  using Wide = double;
  using Sum = long double;
};
template <>
struct Element<Dtype::i8> {
  using Stored = std::int8_t;
  using Wide = std::int32_t;
  using Sum = std::uint32_t;
};

Dtype output_dtype(Dtype input) {
  if (input == Dtype::f64) return Dtype::f64;
  return input == Dtype::i8 ? Dtype::i32 : Dtype::f32;
}

/// Rows that the reference covers: all, or one of every band, at another place in each, and the last.
std::vector<std::uint64_t> reference_rows(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  const bool all = 2 * m * n <= kAllRows / k;
  std::vector<std::uint64_t> rows;
  constexpr std::uint64_t kTurn = 37;  // odd: visits every place of a band
  for (std::uint64_t band = 0; band * kBand < m; ++band) {
    if (all) {
      for (std::uint64_t r = band * kBand; r < std::min(m, (band + 1) * kBand); ++r) {
        rows.push_back(r);
      }
    } else {
      rows.push_back(std::min(m - 1, band * kBand + band * kTurn % kBand));
    }
  }
  if (rows.back() != m - 1) rows.push_back(m - 1);
  return rows;
}

/// Computes some rows of C and of |A| |B|.
template <Dtype dtype>
class RowProducts {
  using Stored = typename Element<dtype>::Stored;
  using Wide = typename Element<dtype>::Wide;
  using Sum = typename Element<dtype>::Sum;
  static constexpr std::uint64_t kStrip = 128;  // columns whose sums stay in the first cache
  static constexpr std::uint64_t kRows = 4;     // rows that share one pass over B

 public:
  RowProducts(std::span<const BufferSpec> specs, std::span<const Bytes> inputs,
              std::vector<std::uint64_t> rows)
      : k_(specs[0].columns), n_(specs[2].columns), rows_(std::move(rows)) {
    a_.resize(rows_.size() * k_);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (std::uint64_t k = 0; k < k_; ++k) {
        a_[r * k_ + k] = load(inputs[0], rows_[r] * specs[0].pitch + k);
      }
    }
    b_.resize(k_ * n_);
    const std::uint64_t pitch = specs[1].pitch;
    parallel_ranges(
        k_,
        [&](std::uint64_t first, std::uint64_t last) {
          for (std::uint64_t k = first; k < last; ++k) {
            for (std::uint64_t j = 0; j < n_; ++j) {
              const std::uint64_t at = dtype == Dtype::i8 ? j * pitch + k : k * pitch + j;
              b_[k * n_ + j] = load(inputs[1], at);
            }
          }
        },
        16);
  }

  /// Calls keep(index of the element among the sampled ones, sum, sum of magnitudes) for each.
  template <typename Keep>
  void compute(const Keep& keep) const {
    const std::uint64_t strips = (n_ + kStrip - 1) / kStrip;
    const std::uint64_t blocks = (rows_.size() + kRows - 1) / kRows;
    parallel_ranges(
        strips * blocks,
        [&](std::uint64_t first, std::uint64_t last) {
          for (std::uint64_t i = first; i < last; ++i) {
            compute_block(i / blocks * kStrip, i % blocks * kRows, keep);
          }
        },
        4);
  }

 private:
  static Wide load(const Bytes& bytes, std::uint64_t index) {
    Stored value;
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    return static_cast<Wide>(value);
  }

  template <typename Keep>
  void compute_block(std::uint64_t col0, std::uint64_t row0, const Keep& keep) const {
    const std::uint64_t cols = std::min(kStrip, n_ - col0);
    const std::uint64_t rows = std::min<std::uint64_t>(kRows, rows_.size() - row0);
    std::array<std::array<Sum, kStrip>, kRows> sums{};
    std::array<std::array<double, kStrip>, kRows> magnitudes{};
    for (std::uint64_t k = 0; k < k_; ++k) {
      const Wide* b = &b_[k * n_ + col0];
      for (std::uint64_t r = 0; r < rows; ++r) {
        const Wide a = a_[(row0 + r) * k_ + k];
        for (std::uint64_t j = 0; j < cols; ++j) {
          sums[r][j] += static_cast<Sum>(a) * static_cast<Sum>(b[j]);
          if constexpr (dtype != Dtype::i8) {
            magnitudes[r][j] += std::abs(static_cast<double>(a) * static_cast<double>(b[j]));
          }
        }
      }
    }
    for (std::uint64_t r = 0; r < rows; ++r) {
      for (std::uint64_t j = 0; j < cols; ++j) {
        keep((row0 + r) * n_ + col0 + j, sums[r][j], magnitudes[r][j]);
      }
    }
  }

  std::uint64_t k_;
  std::uint64_t n_;
  std::vector<std::uint64_t> rows_;
  std::vector<Wide> a_;  ///< sampled rows of A
  std::vector<Wide> b_;  ///< k rows of n, whatever the stored order
};

template <typename T>
void store(Bytes& values, std::uint64_t index, T value) {
  std::memcpy(values.data() + index * sizeof value, &value, sizeof value);
}

template <Dtype dtype>
Reference multiply(const Problem& problem, Fill fill, std::span<const BufferSpec> specs,
                   std::span<const Bytes> inputs) {
  const BufferSpec& c = specs[2];
  const std::vector<std::uint64_t> rows =
      reference_rows(problem.dim("m"), problem.dim("n"), problem.dim("k"));
  const bool scaled = fill == Fill::random && dtype != Dtype::i8;
  Reference reference{.buffer = 2,
                      .dtype = scaled ? Dtype::f64 : c.dtype,
                      .ranges = {},
                      .values = {},
                      .scales = {}};
  for (std::uint64_t row : rows) {
    reference.ranges.push_back({.first = row * c.pitch, .count = c.columns});
  }
  const std::uint64_t count = rows.size() * c.columns;
  reference.values.resize(count * size_bytes(reference.dtype));
  if (scaled) reference.scales.resize(count);
  RowProducts<dtype>(specs, inputs, rows)
      .compute([&](std::uint64_t index, auto sum, double magnitude) {
        if (scaled) reference.scales[index] = magnitude;
        if constexpr (dtype == Dtype::i8) {
          store(reference.values, index, sum);
        } else if (reference.dtype == Dtype::f64) {
          store(reference.values, index, static_cast<double>(sum));
        } else {
          store(reference.values, index, static_cast<float>(sum));
        }
      });
  return reference;
}

/// C = A B: C is m x n, A is m x k, B is k x n; in i8 B is stored as n x k, the order in which matrix
/// units of 8-bit types want it. f16 is multiplied exactly and added in f32, i8 in i32.
class Gemm : public Workload {
 public:
  std::string_view name() const override { return "gemm"; }
  std::vector<Dtype> dtypes() const override {
    return {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::i8};
  }
  std::vector<Variant> variants() const override {
    return {{.name = "naive", .tier = Tier::matched},
            {.name = "tiled", .tier = Tier::matched},
            {.name = "register", .tier = Tier::matched},
            {.name = "vec4", .tier = Tier::matched},
            {.name = "vec4_double", .tier = Tier::matched}};
  }
  std::vector<std::string> dims() const override { return {"m", "n", "k"}; }

  std::vector<Size> sizes(Preset preset) const override {
    using Shape = std::array<std::uint64_t, 3>;
    std::vector<Shape> shapes;
    switch (preset) {
      case Preset::quick:
        shapes = {{127, 129, 131}, {192, 192, 192}};
        break;
      case Preset::ci:
        shapes = {{1, 1024, 1024}, {127, 129, 131}, {512, 512, 512}, {1024, 1024, 1024}};
        break;
      case Preset::standard:
        shapes = {{127, 129, 131}, {4096, 4096, 4096}};
        break;
      case Preset::full:
        shapes = {{1, 1, 1},          {127, 129, 131},    {256, 256, 256},    {1, 4096, 4096},
                  {4096, 1, 4096},    {512, 512, 512},    {1024, 1024, 1024}, {16384, 128, 1024},
                  {128, 16384, 1024}, {2048, 2048, 2048}, {2049, 2047, 2051}, {4096, 4096, 4096},
                  {8192, 8192, 8192}};
        break;
    }
    std::vector<Size> sizes;
    for (const auto& [m, n, k] : shapes) sizes.push_back({{"m", m}, {"n", n}, {"k", k}});
    return sizes;
  }

  std::optional<std::string> size_error(const Size& size) const override {
    for (const Dim& dim : size) {
      if (dim.value >= 1 && dim.value <= kMaxElements) continue;
      return fmt::format("{}={} is out of range; valid: 1 to {}", dim.name, dim.value,
                         kMaxElements);
    }
    for (const auto& [rows, columns] : {std::pair{0, 2}, {2, 1}, {1, 2}, {0, 1}}) {
      const Dim& row = size[rows];
      const Dim& column = size[columns];
      // The widest padding of the dtypes, sixteen elements of i8.
      const std::uint64_t pitch = padded_pitch(column.value, Dtype::i8);
      if (row.value <= kMaxElements / pitch) continue;
      return fmt::format(
          "a matrix of {}={} rows and {}={} columns is too large; valid: up to {} "
          "elements",
          row.name, row.value, column.name, column.value, kMaxElements);
    }
    return std::nullopt;
  }

  std::vector<BufferSpec> buffers(const Problem& problem) const override {
    const std::uint64_t m = problem.dim("m"), n = problem.dim("n"), k = problem.dim("k");
    const auto matrix = [](const char* name, Role role, Dtype dtype, std::uint64_t rows,
                           std::uint64_t columns) {
      return BufferSpec{.name = name,
                        .role = role,
                        .dtype = dtype,
                        .rows = rows,
                        .columns = columns,
                        .pitch = padded_pitch(columns, dtype)};
    };
    const bool transposed = problem.dtype == Dtype::i8;
    return {matrix("a", Role::in, problem.dtype, m, k),
            matrix("b", Role::in, problem.dtype, transposed ? n : k, transposed ? k : n),
            matrix("c", Role::out, output_dtype(problem.dtype), m, n)};
  }

  std::vector<Step> steps(const Problem& problem, std::string_view variant) const override {
    struct Constants {
      std::uint32_t m, n, k, lda, ldb, ldc, tiles_n;
    };
    const auto small = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    const std::uint64_t m = problem.dim("m"), n = problem.dim("n");
    const std::vector<BufferSpec> specs = buffers(problem);
    const std::uint64_t tile = tile_edge(problem.dtype, variant);
    const std::uint64_t tiles_m = (m + tile - 1) / tile, tiles_n = (n + tile - 1) / tile;
    const Constants constants{.m = small(m),
                              .n = small(n),
                              .k = small(problem.dim("k")),
                              .lda = small(specs[0].pitch),
                              .ldb = small(specs[1].pitch),
                              .ldc = small(specs[2].pitch),
                              .tiles_n = small(tiles_n)};
    return {{.kernel = fmt::format("gemm/{}/{}", variant, to_string(problem.dtype)),
             .group_size = {.x = kLanes},
             .groups = spread_groups(tiles_m * tiles_n),
             .buffers = {0, 1, 2},
             .constants = as_constants(constants)}};
  }

  Reference expected(const Problem& problem, Fill fill,
                     std::span<const Bytes> inputs) const override {
    const std::vector<BufferSpec> specs = buffers(problem);
    switch (problem.dtype) {
      case Dtype::f16:
        return multiply<Dtype::f16>(problem, fill, specs, inputs);
      case Dtype::f32:
        return multiply<Dtype::f32>(problem, fill, specs, inputs);
      case Dtype::f64:
        return multiply<Dtype::f64>(problem, fill, specs, inputs);
      case Dtype::i8:
      case Dtype::i32:
        break;
    }
    return multiply<Dtype::i8>(problem, fill, specs, inputs);
  }

  /// The error of an inner product of length k is at most gamma_k = k u / (1 - k u) times
  /// |a| |b| (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., 3.5), but roundings
  /// of random sign add up like a random walk: below 6 sqrt(k) u except with a chance that no run
  /// of the suite will meet (Higham and Mary, SIAM Journal on Scientific Computing 42(5), 2020).
  /// The root mean square is what tells a lower precision from bad luck. For zero-mean data the
  /// partial sums themselves grow like sqrt(i), so the errors of k additions give about
  /// u k / 7 against |a| |b| = k / 4, half a u, whatever k is: 4 u leaves room for any order of
  /// additions. Inputs cut to 11 bits give 64 u at k = 8192, less as 1 / sqrt(k) beyond: they are
  /// told apart up to k = 2^21.
  /// f16: products are exact; matrix units may truncate instead of rounding, which doubles u and
  /// gives errors a sign (Khattak and Mikaitis, arXiv 2403.00232), hence 16 u. The reference itself
  /// has u / 2048 (long double) or 2^-29 u (double).
  Tolerance tolerance(const Problem& problem) const override {
    const double root = std::sqrt(static_cast<double>(problem.dim("k")));
    switch (problem.dtype) {
      case Dtype::f16:
        return {.metric = "scaled_error", .limit = 6 * root * 0x1p-23, .rms_limit = 16 * 0x1p-24};
      case Dtype::f32:
        return {.metric = "scaled_error", .limit = 6 * root * 0x1p-24, .rms_limit = 4 * 0x1p-24};
      case Dtype::f64:
        return {.metric = "scaled_error", .limit = 6 * root * 0x1p-53, .rms_limit = 4 * 0x1p-53};
      case Dtype::i8:
      case Dtype::i32:
        break;
    }
    return {.metric = "bitwise"};
  }

  bool rounds_products() const override { return true; }

  Cost cost(const Problem& problem) const override {
    const std::uint64_t m = problem.dim("m"), n = problem.dim("n"), k = problem.dim("k");
    return {.flops = 2 * m * n * k,
            .bytes_read = (m * k + k * n) * size_bytes(problem.dtype),
            .bytes_written = m * n * size_bytes(output_dtype(problem.dtype)),
            .source =
                "2 m n k multiplications and additions (LAPACK Working Note 41, GEMM); A and B "
                "read once, C written once"};
  }

 private:
  /// Edge of the square of C that one group computes.
  static std::uint64_t tile_edge(Dtype dtype, std::string_view variant) {
    if (variant == "naive" || variant == "tiled") return 16;
    return dtype == Dtype::f64 ? 64 : 128;
  }
};

}  // namespace

const Workload& gemm() {
  static const Gemm workload;
  return workload;
}

}  // namespace parallax
