#include "app/viewer/panels/halo_order.h"

#include <algorithm>

namespace haloscope::app::viewer {

namespace {

double value_of(const analysis::HaloRow& row, HaloColumn column) {
  switch (column) {
    case HaloColumn::Members:
      return double(row.members);
    case HaloColumn::Mass:
      return row.mass;
    case HaloColumn::R200:
      return row.r200.value_or(0);
    default:
      return double(row.number);
  }
}

}  // namespace

std::vector<std::uint32_t> ordered_halos(const std::vector<analysis::HaloRow>& rows,
                                         HaloColumn column, bool descending,
                                         std::uint64_t at_least) {
  std::vector<std::uint32_t> order;
  order.reserve(rows.size());
  for (std::uint32_t k = 0; k < rows.size(); ++k)
    if (rows[k].members >= at_least) order.push_back(k);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double left = value_of(rows[a], column), right = value_of(rows[b], column);
    return descending ? left > right : left < right;
  });
  return order;
}

void HaloOrder::make(const std::vector<analysis::HaloRow>& rows, HaloColumn column, bool descending,
                     std::uint64_t at_least) {
  if (made_ && column == column_ && descending == descending_ && at_least == at_least_) return;
  order_ = ordered_halos(rows, column, descending, at_least);
  column_ = column;
  descending_ = descending;
  at_least_ = at_least;
  made_ = true;
}

}  // namespace haloscope::app::viewer
