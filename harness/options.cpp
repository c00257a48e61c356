#include "harness/options.hpp"

#include <algorithm>
#include <numeric>

namespace parallax {
namespace {

/// Levenshtein distance of two short words.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

}  // namespace

std::string_view to_string(Preset preset) {
  switch (preset) {
    case Preset::quick:
      return "quick";
    case Preset::ci:
      return "ci";
    case Preset::full:
      return "full";
    case Preset::standard:
      break;
  }
  return "default";
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  // A third of the word may be wrong; beyond that a suggestion is a guess.
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

}  // namespace parallax
