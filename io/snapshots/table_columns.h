#pragma once

#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// A field put together from columns of a table, by their numbers from 0.
struct TableField {
  std::string name;
  std::vector<int> columns;  // 3 for Coordinates and Velocities, else 1
};

// Which columns are what. A column is in one field at most.
struct TableMapping {
  std::vector<TableField> fields;
  std::optional<int> type;             // column of particle types
  bool positions = false;              // Coordinates are among the fields
  std::vector<std::string> sentences;  // "x→Coordinates[0]", …, where a name was translated
};

// Finds the fields by the columns' names, the spellings of many programs being in one table (x,
// posx, Coordinates_0, …, whatever the case); positions also with another word before them
// (halo_pos_x) where only one such set is there. Columns of other names are fields of their own.
// Empty names are left out.
TableMapping map_columns(const std::vector<std::string>& names);

// "velocity_x" of " \"Velocity X [km/s]\" ": lower case, no quotes, no unit, marks made one `_`.
std::string plain_column_name(const std::string& name);

// "km/s" of "vx [km/s]" or "vx (km/s)"; empty: none.
std::string column_unit(const std::string& name);

}  // namespace haloscope::io
