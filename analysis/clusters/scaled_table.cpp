#include "analysis/clusters/scaled_table.h"

#include "analysis/option_parsing/option_error.h"
#include "core/error.h"

#include <fmt/format.h>

#include <cmath>
#include <variant>

namespace haloscope::analysis {

io::PointTable scaled_table(const io::PointTable& table, const std::vector<double>& scale) {
  if (scale.size() != table.columns)
    throw OptionError(
        fmt::format("there {} {} number{} for {} column{}", scale.size() == 1 ? "is" : "are",
                    scale.size(), scale.size() == 1 ? "" : "s", table.columns,
                    table.columns == 1 ? "" : "s"),
        marked("scale"), "give one for each column");
  io::require_table_memory(table.rows, table.columns, table.path);
  io::PointTable scaled{table.path, table.rows, table.columns, Array<double>(table.values.size())};
  for (std::size_t k = 0; k < table.values.size(); ++k) {
    scaled.values[k] = table.values[k] / scale[k % table.columns];
    if (!std::isfinite(scaled.values[k]))
      throw OptionError(fmt::format("{:g} divided by {:g} is more than a number can be",
                                    table.values[k], scale[k % table.columns]),
                        marked("scale"), "give a larger one");
  }
  return scaled;
}

void unscale_places(const std::vector<double>& scale, HaloTable& groups) {
  for (CatalogColumn& column : groups.columns) {
    if (column.name != "GroupPos") continue;
    auto& values = std::get<std::vector<double>>(column.values);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] *= scale[k % scale.size()];
  }
}

}  // namespace haloscope::analysis
