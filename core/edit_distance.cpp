#include "core/edit_distance.h"

#include "core/text_values.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace haloscope {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the dynamic programme suffice: a swap looks two rows back.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string> candidates) {
  const std::string lower = lower_case(std::string(word));
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::optional<std::string> nearest;
  std::pair<std::size_t, std::size_t> best{limit + 1, 0};
  for (const std::string& candidate : candidates) {
    // Each letter that one has more costs one: a line of 64 KiB takes no time then.
    if (word.size() > candidate.size() + limit || candidate.size() > word.size() + limit) continue;
    const std::pair distance{edit_distance(lower, lower_case(std::string(candidate))),
                             edit_distance(word, candidate)};
    if (distance.first <= limit && distance.first < word.size() && distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace haloscope
