#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace haloscope {

// How many single-character insertions, deletions, replacements and swaps of neighbors turn `a`
// into `b` (optimal string alignment: no part is edited twice). Upper and lower case are different.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that a mistyped `word` most likely means: the nearest by edit distance (case counts
// only between equals, the first wins a tie); none where even the nearest differs in more than a
// third of the word's characters, since a far-fetched suggestion is worse than none.
std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string> candidates);

}  // namespace haloscope
