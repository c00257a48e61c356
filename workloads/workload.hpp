/// What a workload is: pure functions of a problem, no API in sight. Host code is written once
/// here; only device code (shaders/<workload>/) exists per API.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device.hpp"
#include "workloads/bytes.hpp"
#include "workloads/dtype.hpp"

namespace parallax {

/// One named dimension: a number, or a word such as layout=nhwc. A word without a name is a named
/// size (resnet50_res3_3x3); the dimensions that it settles are `implied` and not spelt.
struct Dim {
  std::string name;
  std::uint64_t value = 0;
  std::string word{};
  bool implied = false;
  friend bool operator==(const Dim&, const Dim&) = default;
};

/// The workload's dimensions in its own order.
using Size = std::vector<Dim>;

/// What is computed, whatever the algorithm.
struct Problem {
  Dtype dtype = Dtype::f32;
  Size size;

  /// Value of a dimension. Errors: throws std::out_of_range for an unknown name.
  [[nodiscard]] std::uint64_t dim(std::string_view name) const;

  /// Word of a dimension. Errors: throws std::out_of_range for an unknown name.
  [[nodiscard]] const std::string& word(std::string_view name) const;
};

enum class Preset { quick, standard, full, ci };

/// `matched`: same algorithm in every API; `tuned`: the best legal code of each API;
/// `vendor`: a library's kernel. No ratio mixes tiers.
enum class Tier { matched, tuned, vendor };
std::string_view to_string(Tier tier);

/// One algorithm. The same name is the same algorithm in every API.
struct Variant {
  std::string name;
  Tier tier = Tier::matched;
};

enum class Role { in, out, scratch };

/// One buffer of a problem: a matrix of `rows` x `columns` elements whose rows start `pitch` elements
/// apart, so that vector accesses stay aligned. A vector has one row. Inputs are filled over the
/// whole allocation, padding included, so that a kernel that reads padding as data is found out.
struct BufferSpec {
  std::string name;
  Role role = Role::in;
  Dtype dtype = Dtype::f32;
  std::uint64_t rows = 1;
  std::uint64_t columns = 0;  ///< elements of a row that the problem is about
  std::uint64_t pitch = 0;    ///< elements from one row to the next; whole units of 16 bytes
  bool free_padding = false;  ///< kernels may write the padding; otherwise a write there is a fault
  [[nodiscard]] std::uint64_t count() const { return rows * columns; }
  [[nodiscard]] std::uint64_t size_bytes() const {
    return rows * pitch * parallax::size_bytes(dtype);
  }
};

/// Rounds a row of `columns` elements up to whole units of 16 bytes. Units: elements.
std::uint64_t padded_pitch(std::uint64_t columns, Dtype dtype);

/// One launch of a variant, in order.
struct Step {
  std::string kernel;  ///< "workload/variant/dtype"
  Extent3 group_size;
  Extent3 groups;
  std::vector<std::uint32_t> buffers;  ///< indices into buffers(problem)
  std::vector<std::byte> constants;
};

/// What inputs hold. Only `random` is ever timed: small integers draw less power.
enum class Fill {
  random,   ///< incompressible, uniform in [-1, 1]; integers over their whole type
  integers  ///< -2, -1, 1 or 2: sums are exact in any order, and no lost term goes unseen
};

/// A contiguous part of an output, in elements of the allocation, padding counted.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Expected values of the out buffer over some ranges, in order, packed without gaps.
struct Reference {
  std::uint32_t buffer = 0;  ///< index into buffers(problem)
  Dtype dtype = Dtype::f32;  ///< dtype of `values`: the buffer's own, or f64 for "scaled_error"
  std::vector<Range> ranges;
  Bytes values;
  std::vector<double> scales;  ///< "scaled_error": what each element's error is divided by
};

/// How far an output may be from its reference.
/// "bitwise": not at all; every limit is 0.
/// "scaled_error": of e = |actual - expected| / scale, the largest and the root mean square have a
/// limit each. One alone is not enough: a slightly wrong precision everywhere passes the first, one
/// wrong element among millions the second.
struct Tolerance {
  std::string metric;
  double limit = 0.0;
  double rms_limit = 0.0;
};

/// Work of one run of all steps, counted once and analytically, whatever a variant really does.
struct Cost {
  /// Additions and multiplications in floating point; of i8, which is rated the same way, in
  /// integers; 0 where a workload only moves integers or adds them up.
  std::uint64_t flops = 0;
  std::uint64_t bytes_read = 0;     ///< compulsory traffic: every input once
  std::uint64_t bytes_written = 0;  ///< compulsory traffic: every output once
  std::string source;               ///< the formula
};

class Workload {
 public:
  virtual ~Workload() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::vector<Dtype> dtypes() const = 0;
  [[nodiscard]] virtual std::vector<Variant> variants() const = 0;

  /// Names the dimensions of a size that is spelt out, in order.
  [[nodiscard]] virtual std::vector<std::string> dims() const = 0;

  /// Sizes that have a name of their own.
  [[nodiscard]] virtual std::vector<std::string> named_sizes() const { return {}; }

  /// Turns a size as people write it into the one spelling that names cases: a named size gets its
  /// implied dimensions, a dimension left out its default. Nothing when the dimensions are not
  /// those of this workload. The values themselves are checked by size_error().
  [[nodiscard]] virtual std::optional<Size> complete(const Size& size) const;

  /// Sizes that a preset runs, small to large. Those of Preset::quick fit software devices.
  [[nodiscard]] virtual std::vector<Size> sizes(Preset preset) const = 0;

  /// Says in one line why a size with the right dimensions cannot be computed, or nothing.
  [[nodiscard]] virtual std::optional<std::string> size_error(const Size& size) const = 0;

  [[nodiscard]] virtual std::vector<BufferSpec> buffers(const Problem& problem) const = 0;

  /// Launches of one run. Running them any number of times gives the result of running them once.
  [[nodiscard]] virtual std::vector<Step> steps(const Problem& problem,
                                                std::string_view variant) const = 0;

  /// Computes what the out buffer must hold, in higher precision than the dtype where rounding
  /// can differ: every element of small problems, whole sampled rows of large ones.
  /// Order: `inputs` are the contents of the buffers of role `in`, in order.
  [[nodiscard]] virtual Reference expected(const Problem& problem, Fill fill,
                                           std::span<const Bytes> inputs) const = 0;

  /// Limits for Fill::random. Where the metric is not "bitwise", every case is checked with
  /// Fill::integers as well, bit for bit.
  [[nodiscard]] virtual Tolerance tolerance(const Problem& problem) const = 0;
  [[nodiscard]] virtual Cost cost(const Problem& problem) const = 0;

  /// Whether products are added up, so that a device that rounds them first gives other bits.
  [[nodiscard]] virtual bool rounds_products() const { return false; }
};

/// Lists every workload in the order of workloads/CMakeLists.txt. Generated by the build.
const std::vector<const Workload*>& all_workloads();

/// Spreads `total` groups over x and y so that no dimension exceeds what every API guarantees
/// (65,535). Kernels number groups as y * groups.x + x and guard the excess of the last row. The
/// split is the same in every API, so that all of them launch the same grid.
Extent3 spread_groups(std::uint64_t total);

/// Copies a struct of 32-bit constants into the bytes of a Step.
template <typename T>
std::vector<std::byte> as_constants(const T& value) {
  static_assert(sizeof(T) % 4 == 0 && sizeof(T) <= kMaxConstantBytes);
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  return {bytes, bytes + sizeof value};
}

}  // namespace parallax
