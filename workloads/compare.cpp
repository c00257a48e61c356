#include "workloads/compare.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "workloads/half.hpp"
#include "workloads/parallel.hpp"

namespace parallax {
namespace {

std::string show_element(Dtype dtype, const std::byte* at) {
  const auto load = [at]<typename T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (dtype) {
    case Dtype::f16:
      return fmt::format("{}", static_cast<float>(load(Half{})));
    case Dtype::f32:
      return fmt::format("{}", load(0.0f));
    case Dtype::f64:
      return fmt::format("{}", load(0.0));
    case Dtype::i8:
      return fmt::format("{}", load(std::int8_t{}));
    case Dtype::i32:
      break;
  }
  return fmt::format("{}", load(std::int32_t{}));
}

template <typename Word>
bool is_nan(const std::byte* at, Word infinity) {
  Word word{};
  std::memcpy(&word, at, sizeof word);
  constexpr Word kSign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  return static_cast<Word>(word & ~kSign) > infinity;
}

/// A NaN is no result, not even where the same NaN is expected.
bool is_nan(Dtype dtype, const std::byte* at) {
  switch (dtype) {
    case Dtype::f16:
      return is_nan<std::uint16_t>(at, 0x7c00u);
    case Dtype::f32:
      return is_nan<std::uint32_t>(at, 0x7f800000u);
    case Dtype::f64:
      return is_nan<std::uint64_t>(at, 0x7ff0000000000000u);
    case Dtype::i8:
    case Dtype::i32:
      break;
  }
  return false;
}

/// Differing elements of two runs of bytes and the first of them, by element index.
struct Difference {
  std::uint64_t count = 0;
  std::uint64_t first = UINT64_MAX;
};

Difference find_differences(const std::byte* expected, const std::byte* actual, std::uint64_t count,
                            Dtype dtype) {
  const std::uint64_t width = size_bytes(dtype);
  Difference all;
  std::mutex mutex;
  parallel_ranges(count, [&](std::uint64_t begin, std::uint64_t end) {
    Difference part;
    for (std::uint64_t i = begin; i < end; ++i) {
      const bool same = std::memcmp(expected + i * width, actual + i * width, width) == 0;
      if (same && !is_nan(dtype, actual + i * width)) continue;
      ++part.count;
      part.first = std::min(part.first, i);
    }
    if (part.count == 0) return;
    const std::lock_guard lock(mutex);
    all.count += part.count;
    all.first = std::min(all.first, part.first);
  });
  return all;
}

Verdict compare_bitwise(const Reference& reference, Dtype dtype,
                        std::span<const std::byte> output) {
  const std::uint64_t width = size_bytes(dtype);
  Verdict verdict{.ok = true, .metric = "bitwise", .detail = {}};
  const std::byte* expected = reference.values.data();
  for (const Range& range : reference.ranges) {
    const std::byte* actual = output.data() + range.first * width;
    const Difference found = find_differences(expected, actual, range.count, dtype);
    if (found.count > 0 && verdict.ok) {
      verdict.ok = false;
      verdict.at = range.first + found.first;
      verdict.detail = fmt::format("element {} is {}, expected {}", verdict.at,
                                   show_element(dtype, actual + found.first * width),
                                   show_element(dtype, expected + found.first * width));
    }
    verdict.worst += static_cast<double>(found.count);
    verdict.checked += range.count;
    expected += range.count * width;
  }
  if (!verdict.ok) {
    verdict.detail = fmt::format("{:.0f} of {} elements differ; {}", verdict.worst, verdict.checked,
                                 verdict.detail);
  }
  return verdict;
}

/// Errors of some elements: sum of squares, and the largest with its place.
struct Errors {
  double squares = 0.0;
  double worst = 0.0;
  std::uint64_t at = UINT64_MAX;  ///< index within the range
};

/// |actual - expected| / scale. Infinity for whatever is no number, so that no comparison passes it,
/// and for any error where the scale is zero, since then only the exact value is right.
double scaled_error(double actual, double expected, double scale) {
  const double error = std::abs(actual - expected);
  if (error == 0.0) return 0.0;
  const double scaled = error / scale;
  return std::isfinite(scaled) ? scaled : std::numeric_limits<double>::infinity();
}

template <typename T>
Errors errors_of(const std::byte* expected, const double* scales, const std::byte* actual,
                 std::uint64_t count) {
  Errors all;
  std::mutex mutex;
  parallel_ranges(count, [&](std::uint64_t begin, std::uint64_t end) {
    Errors part;
    for (std::uint64_t i = begin; i < end; ++i) {
      T value;
      double wanted = 0.0;
      std::memcpy(&value, actual + i * sizeof value, sizeof value);
      std::memcpy(&wanted, expected + i * sizeof wanted, sizeof wanted);
      const double e = scaled_error(static_cast<double>(value), wanted, scales[i]);
      part.squares += e * e;
      if (e <= part.worst) continue;
      part.worst = e;
      part.at = i;
    }
    const std::lock_guard lock(mutex);
    all.squares += part.squares;
    if (part.worst < all.worst || (part.worst == all.worst && part.at >= all.at)) return;
    all.worst = part.worst;
    all.at = part.at;
  });
  return all;
}

Errors errors_of(Dtype dtype, const std::byte* expected, const double* scales,
                 const std::byte* actual, std::uint64_t count) {
  if (dtype == Dtype::f64) return errors_of<double>(expected, scales, actual, count);
  return errors_of<float>(expected, scales, actual, count);
}

Verdict compare_scaled(const Reference& reference, const Tolerance& tolerance, Dtype dtype,
                       std::span<const std::byte> output) {
  Verdict verdict{.metric = tolerance.metric,
                  .limit = tolerance.limit,
                  .rms_limit = tolerance.rms_limit,
                  .detail = {}};
  double squares = 0.0;
  std::uint64_t done = 0;
  std::string worst_element;
  for (const Range& range : reference.ranges) {
    const std::byte* expected = reference.values.data() + done * sizeof(double);
    const std::byte* actual = output.data() + range.first * size_bytes(dtype);
    const Errors found =
        errors_of(dtype, expected, reference.scales.data() + done, actual, range.count);
    squares += found.squares;
    if (found.worst > verdict.worst) {
      verdict.worst = found.worst;
      verdict.at = range.first + found.at;
      worst_element = fmt::format("element {} is {}, expected {}", verdict.at,
                                  show_element(dtype, actual + found.at * size_bytes(dtype)),
                                  show_element(Dtype::f64, expected + found.at * sizeof(double)));
    }
    done += range.count;
  }
  verdict.checked = done;
  verdict.rms = done == 0 ? 0.0 : std::sqrt(squares / static_cast<double>(done));
  verdict.ok = done > 0 && verdict.worst <= verdict.limit && verdict.rms <= verdict.rms_limit;
  if (verdict.ok) return verdict;
  verdict.detail =
      fmt::format("scaled error {:.3g} of at most {:.3g}, rms {:.3g} of at most {:.3g}",
                  verdict.worst, verdict.limit, verdict.rms, verdict.rms_limit);
  if (!worst_element.empty()) verdict.detail += "; " + worst_element;
  return verdict;
}

/// FNV-1a over 64-bit words in four independent lanes: one lane would wait for its multiply.
std::uint64_t digest_piece(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kPrime = 0x100000001b3u;
  std::array<std::uint64_t, 4> lanes = {1, 2, 3, 4};
  const std::size_t blocks = bytes.size() / 32;
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + b * 32 + lane * 8, sizeof word);
      lanes[lane] = (lanes[lane] ^ word) * kPrime;
      lanes[lane] ^= lanes[lane] >> 29;
    }
  }
  std::uint64_t hash = 0xcbf29ce484222325u ^ bytes.size();
  for (std::uint64_t lane : lanes) hash = (hash ^ lane) * kPrime;
  for (std::size_t i = blocks * 32; i < bytes.size(); ++i) {
    hash = (hash ^ std::to_integer<std::uint64_t>(bytes[i])) * kPrime;
  }
  return hash;
}

}  // namespace

Verdict compare(const Reference& reference, const Tolerance& tolerance, Dtype output_dtype,
                std::span<const std::byte> output) {
  if (tolerance.metric == "bitwise" && reference.dtype == output_dtype) {
    return compare_bitwise(reference, output_dtype, output);
  }
  const bool is_float = output_dtype == Dtype::f32 || output_dtype == Dtype::f64;
  if (tolerance.metric == "scaled_error" && reference.dtype == Dtype::f64 && is_float) {
    return compare_scaled(reference, tolerance, output_dtype, output);
  }
  throw std::invalid_argument(fmt::format("no metric {} for {} against {}", tolerance.metric,
                                          to_string(output_dtype), to_string(reference.dtype)));
}

std::uint64_t digest(const BufferSpec& spec, std::span<const std::byte> bytes) {
  const std::uint64_t width = size_bytes(spec.dtype);
  if (spec.rows == 1 || spec.pitch == spec.columns)
    return digest(bytes.first(spec.count() * width));
  std::vector<std::uint64_t> rows(spec.rows);
  parallel_ranges(
      spec.rows,
      [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t r = first; r < last; ++r) {
          rows[r] = digest_piece(bytes.subspan(r * spec.pitch * width, spec.columns * width));
        }
      },
      64);
  return digest_piece(std::as_bytes(std::span(rows)));
}

std::uint64_t digest(std::span<const std::byte> bytes) {
  // Pieces of fixed size, so that the digest does not depend on the number of threads.
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::vector<std::uint64_t> pieces((bytes.size() + kPiece - 1) / kPiece);
  const auto hash_pieces = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t p = first; p < last; ++p) {
      const std::size_t offset = p * kPiece;
      pieces[p] = digest_piece(bytes.subspan(offset, std::min(kPiece, bytes.size() - offset)));
    }
  };
  parallel_ranges(pieces.size(), hash_pieces, 1);
  return digest_piece(std::as_bytes(std::span(pieces)));
}

}  // namespace parallax
