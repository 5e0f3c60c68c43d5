#include "app/viewer/panels/piece_order.h"

#include "app/viewer/panels/listed_columns.h"

#include <algorithm>
#include <cmath>

namespace haloscope::app::viewer {

std::vector<std::uint32_t> ordered_pieces(const analysis::Finding& finding,
                                          std::optional<std::size_t> column, bool descending,
                                          std::uint64_t at_least,
                                          const std::vector<std::uint64_t>* among) {
  const auto* const members =
      finding.members_column ? &finding.columns[*finding.members_column].values : nullptr;
  std::vector<std::uint32_t> order;
  order.reserve(std::size_t(finding.pieces));
  for (std::uint32_t k = 0; k < finding.pieces; ++k)
    if ((!members || (*members)[k] >= double(at_least)) &&
        (!among || std::binary_search(among->begin(), among->end(), k)))
      order.push_back(k);
  const std::vector<ListedColumn> columns = listed_columns(finding);
  const ListedColumn* const by = column && *column < columns.size() ? &columns[*column] : nullptr;
  const auto value = [&](std::uint32_t piece) {
    if (!by) return double(piece);
    const double listed = by->value(piece);
    return std::isnan(listed) ? -HUGE_VAL : listed;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return descending ? value(a) > value(b) : value(a) < value(b);
  });
  return order;
}

void PieceOrder::make(const analysis::Finding& finding, std::optional<std::size_t> column,
                      bool descending, std::uint64_t at_least,
                      const std::vector<std::uint64_t>* among) {
  const bool same_among = among ? among_ && *among_ == *among : !among_;
  if (made_ == &finding && column == column_ && descending == descending_ &&
      at_least == at_least_ && same_among)
    return;
  order_ = ordered_pieces(finding, column, descending, at_least, among);
  among_.reset();
  if (among) among_ = *among;
  column_ = column;
  descending_ = descending;
  at_least_ = at_least;
  made_ = &finding;
}

}  // namespace haloscope::app::viewer
