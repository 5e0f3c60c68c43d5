#pragma once

#include "analysis/finding.h"
#include "core/halo_catalog.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// A column of the table of pieces: one that the finder lists, or one of its catalog. It refers to
// the finding, which must live longer.
struct ListedColumn {
  std::string title, unit, help;
  bool whole = false;                             // numbers without a fraction
  const analysis::PieceColumn* listed = nullptr;  // null: of the catalog
  const CatalogColumn* stored = nullptr;
  int component = 0;
  bool zero_is_none = false;  // 0: it was not measured
  double factor = 1;          // of a value to what is shown, in `unit`

  // NaN: this piece has none.
  double value(std::uint64_t piece) const {
    if (listed) return listed->values[std::size_t(piece)];
    const double value = stored->value(piece, component);
    return zero_is_none && value == 0 ? std::numeric_limits<double>::quiet_NaN() : value;
  }
};

// All columns that can be shown, those that the finder lists first, then those of its catalog, the
// usual ones before the others; vectors have a column for each component. What the finder lists
// already comes once. A finding that is not measured has no catalog.
std::vector<ListedColumn> listed_columns(const analysis::Finding& finding);

}  // namespace haloscope::app::viewer
