#include "core/error.h"
#include "io/catalogs/catalog_units.h"
#include "io/catalogs/text_catalogs.h"
#include "io/text/length_words.h"
#include "io/text/solar_mass.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <set>

namespace haloscope::io {

namespace {

// "Mvir(4)" → "Mvir" where the number is the column's own.
bool take_number(std::string& name, std::size_t number) {
  const std::string tail = "(" + std::to_string(number) + ")";
  if (name.size() <= tail.size() || !name.ends_with(tail)) return false;
  name.resize(name.size() - tail.size());
  return true;
}

std::vector<std::string> ahf_names(const TextHead& head) {
  if (head.comments.empty()) return {};
  std::vector<std::string> names = split_line(head.comments.front(), CellDelimiter::Blanks);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!take_number(names[i], i + 1)) return {};
  return names;
}

std::string unit_of(const std::string& name) {
  static const std::set<std::string> lengths{"Xc",         "Yc",    "Zc",   "Rvir",
                                             "Rhalo",      "Rmax",  "r2",   "mbp_offset",
                                             "com_offset", "R200c", "R500c"};
  static const std::set<std::string> velocities{"VXc", "VYc", "VZc", "Vmax", "v_esc", "sigV"};
  static const std::set<std::string> masses{"Mvir", "Mhalo", "M_gas", "M_star", "M200c", "M500c"};
  if (lengths.count(name)) return "kpc/h";
  if (velocities.count(name)) return "km/s";
  return masses.count(name) ? "Msun/h" : "";
}

// AHF names its files "….z2.964.AHF_halos" and writes the redshift nowhere else.
std::optional<double> redshift_of_name(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  for (auto at = name.rfind(".z"); at != std::string::npos && at > 0;
       at = name.rfind(".z", at - 1)) {
    double z = 0;
    const char* begin = name.data() + at + 2;
    const auto [end, error] = std::from_chars(begin, name.data() + name.size(), z);
    if (error == std::errc() && end != begin && z > -1 && z < 1000) return z;
  }
  return {};
}

}  // namespace

bool is_ahf(const TextHead& head) {
  if (!head.text) return false;
  const auto names = ahf_names(head);
  const std::set<std::string> known(names.begin(), names.end());
  return known.count("Xc") && known.count("Yc") && known.count("Zc") &&
         (known.count("Mvir") || known.count("Mhalo")) && known.count("npart");
}

HaloCatalog open_ahf(const std::string& path, const CatalogOptions&, Progress& progress) {
  const TextHead head = read_text_head(path);
  if (!is_ahf(head)) throw NotThisFormat("this is no AHF catalog", path);
  HaloCatalog catalog;
  catalog.format = "AHF";
  catalog.files = {path};
  TextRows rows = read_text_table(path, {ahf_names(head), CellDelimiter::Blanks, false}, progress);
  for (auto& column : rows.table.columns) set_unit(column, unit_of(column.name));
  catalog.units = {1e3 * kParsecCm, kSolarMassG, 1e5, true, true};
  catalog.assumed.push_back(
      "AHF writes no units: took its custom, comoving kpc/h, Msun/h and peculiar km/s.");
  catalog.assumed.push_back("AHF writes neither box nor cosmology: distances do not wrap around.");
  if (const auto z = redshift_of_name(path)) {
    catalog.cosmology.redshift = *z;
    catalog.cosmology.scale_factor = catalog.time = 1 / (1 + *z);
    catalog.assumed.push_back(fmt::format(
        "The redshift, {:g}, is taken from the file's name: it stands nowhere else.", *z));
  }
  finish_table(std::move(rows), catalog);
  return catalog;
}

}  // namespace haloscope::io
