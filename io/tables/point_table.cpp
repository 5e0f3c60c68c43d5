#include "io/tables/point_table.h"

#include "core/error.h"
#include "core/text_values.h"
#include "io/catalogs/text_catalogs.h"
#include "io/snapshots/table_columns.h"
#include "io/tables/npy_file.h"
#include "io/tables/text_points.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

namespace haloscope::io {

namespace {

// Points with NaN have no distances, and infinite ones none that could be told apart.
void require_finite(const PointTable& table) {
  for (std::size_t k = 0; k < table.values.size(); ++k)
    if (!std::isfinite(table.values[k]))
      throw Error(fmt::format("column {} of row {}, counted from 0, is {}", k % table.columns,
                              k / table.columns, table.values[k]),
                  table.path, "leave out rows that are not finite numbers");
}

bool is_text_of_points(const std::string& path) {
  const TextHead head = read_text_head(path);
  if (!head.text || head.first_line.empty()) return false;
  if (is_own_csv(head) || is_rockstar(head) || is_ahf(head)) return false;
  const std::vector<std::string> names = names_of_points(head);
  return names.size() <= 3 || !map_columns(names).positions;
}

}  // namespace

bool is_point_table(const std::string& path) {
  try {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) return false;
    return is_npy(path) || lower_case(path).ends_with(".npy") || is_text_of_points(path);
  } catch (const Error&) {
    return false;
  }
}

PointTable read_point_table(const std::string& path, Progress& progress) {
  const bool npy = is_npy(path) || lower_case(path).ends_with(".npy");
  PointTable table = npy ? read_npy_points(path, progress) : read_text_points(path, progress);
  require_finite(table);
  return table;
}

std::vector<std::string> column_names(const std::string& path) {
  try {
    if (is_npy(path)) return {};
    const TextHead head = read_text_head(path);
    return head.text ? names_of_points(head) : std::vector<std::string>{};
  } catch (const Error&) {
    return {};
  }
}

void require_table_memory(std::uint64_t rows, std::size_t columns, const std::string& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t(1) << 62;
  if (rows > kMostBytes / sizeof(double) / columns)
    throw Error(fmt::format("a table of {} x {} numbers cannot be", rows, columns), path);
  require_host_memory(rows * columns * sizeof(double),
                      fmt::format("the {} x {} numbers of the table", rows, columns).c_str());
}

}  // namespace haloscope::io
