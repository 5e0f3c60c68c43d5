#pragma once

#include "analysis/finding.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace haloscope::app::viewer {

// Pieces with `at_least` members, those of `among` alone (ascending; null: all), sorted by a column
// of listed_columns(), or by their numbers where there is none; equal ones stay in the order of
// their numbers. A piece without a value comes as the smallest.
std::vector<std::uint32_t> ordered_pieces(const analysis::Finding& finding,
                                          std::optional<std::size_t> column, bool descending,
                                          std::uint64_t at_least,
                                          const std::vector<std::uint64_t>* among = nullptr);

// The order that a table shows; made again only when what it was made for changes, for a hundred
// thousand pieces are not to be sorted in every frame.
class PieceOrder {
 public:
  void make(const analysis::Finding& finding, std::optional<std::size_t> column, bool descending,
            std::uint64_t at_least, const std::vector<std::uint64_t>* among = nullptr);
  const std::vector<std::uint32_t>& pieces() const { return order_; }
  // Before another search's result is shown.
  void forget() { made_ = nullptr; }

 private:
  const analysis::Finding* made_ = nullptr;  // for this; only compared
  bool descending_ = false;
  std::optional<std::size_t> column_;
  std::uint64_t at_least_ = 0;
  std::optional<std::vector<std::uint64_t>> among_;
  std::vector<std::uint32_t> order_;
};

}  // namespace haloscope::app::viewer
