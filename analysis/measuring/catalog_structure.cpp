#include "analysis/measuring/catalog_structure.h"

#include "analysis/measuring/radial_profile.h"
#include "core/error.h"
#include "core/text_values.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace haloscope::analysis {

namespace {

std::string catalog_file(const HaloCatalog& catalog) {
  return catalog.files.empty() ? std::string() : catalog.files.front();
}

const HaloTable& chosen_table(const HaloCatalog& catalog, const std::string& word) {
  std::vector<std::string> names;
  for (const HaloTable& table : catalog.tables) {
    if (word.empty() ? table.count > 0 : lower_case(table.name) == lower_case(word)) return table;
    names.push_back(table.name);
  }
  if (word.empty()) throw Error("the catalog has no rows", catalog_file(catalog));
  throw Error(fmt::format("there is no table {}", word), catalog_file(catalog),
              fmt::format("there are {}", fmt::join(names, ", ")));
}

// Codes write the parsec in different digits. Units that differ by a power of ten but for these
// differ by just that.
double without_digits(double factor) {
  constexpr double kDigits = 1e-6;
  const double power = std::pow(10, std::round(std::log10(factor)));
  return std::abs(factor / power - 1) < kDigits ? power : factor;
}

class StructureReading {
 public:
  StructureReading(const HaloCatalog& catalog, const HaloTable& table, std::uint64_t row,
                   const SnapshotInfo& info)
      : catalog_(catalog), table_(table), row_(row), info_(info) {}

  CatalogStructure read() {
    result_.name = fmt::format("row {} of {}", row_, table_.name);
    compare_times();
    count_members();
    read_center();
    read_velocity();
    read_r200();
    return std::move(result_);
  }

 private:
  // Physical cgs of the catalog's unit, with its own h where it has one.
  std::optional<double> in_cgs(const CatalogColumn& column) const {
    if (!column.scaling || !(column.scaling->to_cgs > 0)) return {};
    const double h =
        catalog_.hubble_known ? catalog_.cosmology.hubble_param : info_.cosmology.hubble_param;
    // Of a catalog of another time the comoving place is what both have in common.
    return column.scaling->to_cgs * std::pow(info_.cosmology.scale_factor, column.scaling->a) *
           std::pow(h, column.scaling->h);
  }

  double code_length_cm() const {
    return info_.units.length_cm * (info_.units.comoving ? info_.cosmology.scale_factor : 1) /
           (info_.units.per_h ? info_.cosmology.hubble_param : 1);
  }

  double factor(const CatalogColumn& column, double code_cgs, const std::string& code_unit) {
    if (const auto cgs = in_cgs(column)) return without_digits(*cgs / code_cgs);
    result_.said.push_back(
        fmt::format("The catalog tells no unit of {}: taken as {}, as in the "
                    "snapshot.",
                    column.name, code_unit));
    return 1;
  }

  void compare_times() {
    const auto &catalog = catalog_.cosmology.redshift, &snapshot = info_.cosmology.redshift;
    constexpr double kSameTime = 1e-3;
    if (catalog && snapshot && std::abs(*catalog - *snapshot) > kSameTime * (1 + *snapshot))
      result_.said.push_back(fmt::format(
          "The catalog is of redshift {:.4g} and the snapshot of {:.4g}.", *catalog, *snapshot));
  }

  // The particles around so few are those of its neighbors.
  void count_members() {
    const CatalogColumn* column = table_.find(HaloRole::MemberCount);
    if (!column) return;
    const double members = column->value(row_);
    if (!(members < double(kFewestOfProfile))) return;
    result_.said.push_back(fmt::format(
        "The structure has {:.0f} member{}, fewer than the {} particles of a profile: what is "
        "shown is around it.",
        members, members == 1 ? "" : "s", kFewestOfProfile));
  }

  void read_center() {
    const CatalogColumn* column = table_.find(HaloRole::Position);
    if (!column)
      throw Error(fmt::format("table {} has no positions", table_.name), catalog_file(catalog_),
                  "choose another table, or give the center itself");
    const double lengths = factor(*column, code_length_cm(), io::length_unit(info_.units));
    result_.center = table_.vector(HaloRole::Position, row_);
    for (double& x : result_.center) x *= lengths;
    for (const double x : result_.center)
      if (!std::isfinite(x))
        throw Error(fmt::format("the position in row {} of table {} is not a finite number", row_,
                                table_.name),
                    catalog_file(catalog_), "choose another row");
    move_into_box(lengths);
  }

  // AHF counts from the low corner of the box, also of Tipsy files, whose boxes surround the
  // origin.
  void move_into_box(double lengths) {
    const auto& origin = info_.box_origin;
    if (!info_.periodic || origin == std::array<double, 3>{}) return;
    for (std::uint64_t row = 0; row < table_.count; ++row) {
      const auto place = table_.vector(HaloRole::Position, row);
      for (const double x : place)
        if (x * lengths < 0 || x * lengths > info_.box_size) return;
    }
    for (std::size_t a = 0; a < 3; ++a) result_.center[a] += origin[a];
    result_.said.push_back(
        "The catalog counts positions from the low corner of the box, because all lie between 0 "
        "and its side; the snapshot does not.");
  }

  void read_velocity() {
    const CatalogColumn* column = table_.find(HaloRole::Velocity);
    if (!column) return;
    const double velocities =
        factor(*column, info_.units.velocity_cm_per_s, io::velocity_unit(info_.units));
    auto v = table_.vector(HaloRole::Velocity, row_);
    for (double& x : v) {
      x *= velocities;
      if (!std::isfinite(x)) return;
    }
    result_.velocity = v;
  }

  void read_r200() {
    for (const CatalogColumn& column : table_.columns) {
      const std::string name = lower_case(column.name);
      if (column.components != 1 || (name != "group_r_crit200" && name != "r200c" &&
                                     name != "r_200c" && name != "r200" && name != "r200crit"))
        continue;
      const double r =
          column.value(row_) * factor(column, code_length_cm(), io::length_unit(info_.units));
      if (r > 0 && std::isfinite(r)) {
        result_.r200 = r;
        result_.r200_column = column.name;
      }
      return;
    }
  }

  const HaloCatalog& catalog_;
  const HaloTable& table_;
  std::uint64_t row_;
  const SnapshotInfo& info_;
  CatalogStructure result_;
};

}  // namespace

CatalogStructure structure_of(const HaloCatalog& catalog, const std::string& table,
                              std::uint64_t row, const SnapshotInfo& info) {
  const HaloTable& chosen = chosen_table(catalog, table);
  if (row >= chosen.count)
    throw Error(fmt::format("there is no row {} in table {}", row, chosen.name),
                catalog_file(catalog),
                chosen.count == 0 ? std::string("it has none")
                                  : fmt::format("rows are 0 to {}", chosen.count - 1));
  return StructureReading(catalog, chosen, row, info).read();
}

}  // namespace haloscope::analysis
