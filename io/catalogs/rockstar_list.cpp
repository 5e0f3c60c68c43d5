#include "core/error.h"
#include "core/text_values.h"
#include "io/catalogs/catalog_roles.h"
#include "io/catalogs/catalog_units.h"
#include "io/catalogs/text_catalogs.h"
#include "io/text/length_words.h"
#include "io/text/solar_mass.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <initializer_list>
#include <set>

namespace haloscope::io {

namespace {

// consistent-trees writes "mvir(10)"; "b_to_a(500c)" is a name.
std::string without_number(const std::string& name) {
  const auto open = name.rfind('(');
  if (open == std::string::npos || open == 0 || name.back() != ')') return name;
  const std::string digits = name.substr(open + 1, name.size() - open - 2);
  return digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos
             ? name
             : name.substr(0, open);
}

std::vector<std::string> rockstar_names(const TextHead& head) {
  if (head.comments.empty()) return {};
  std::vector<std::string> names = split_line(head.comments.front(), CellDelimiter::Blanks);
  for (auto& name : names) name = without_number(name);
  return names;
}

// "Mpc / h (comoving)" → "Mpc/h": what reads well above a column. Lengths are comoving unless they
// say otherwise, velocities physical.
std::string plain_unit(const std::string& unit) {
  std::string plain = unit.substr(0, unit.find('('));
  std::erase(plain, ' ');
  const auto scaling = parse_unit(unit);
  const bool physical = scaling && scaling->length != 0 && scaling->a == 0;
  return physical ? plain + " (physical)" : plain;
}

// The units that the header states, or the finder's custom.
struct StatedUnits {
  std::string mass = "Msun/h", position = "Mpc/h", velocity = "km/s", radius = "kpc/h";
  bool complete = false;
};

StatedUnits stated_units(const std::multimap<std::string, std::string>& values) {
  StatedUnits units;
  std::set<std::string> seen;
  const auto [begin, end] = values.equal_range("units");
  for (auto it = begin; it != end; ++it) {
    const auto at = it->second.find(" in ");
    if (at == std::string::npos) continue;
    const std::string what = lower_case(it->second.substr(0, at)), unit = it->second.substr(at + 4);
    if (!parse_unit(unit)) continue;
    const auto take = [&](const char* word, std::string& to) {
      if (what.find(word) == std::string::npos) return;
      to = plain_unit(unit);
      seen.insert(word);
    };
    take("masses", units.mass);
    take("positions", units.position);
    take("velocities", units.velocity);
    take("radii", units.radius);
  }
  units.complete = seen.size() == 4;
  return units;
}

std::string unit_of(const std::string& column, const StatedUnits& units) {
  static const std::set<std::string> positions{"x", "y", "z", "posuncertainty"};
  static const std::set<std::string> velocities{"vx",
                                                "vy",
                                                "vz",
                                                "vmax",
                                                "vrms",
                                                "voff",
                                                "vpeak",
                                                "bulk_vx",
                                                "bulk_vy",
                                                "bulk_vz",
                                                "vacc",
                                                "velocityuncertainty",
                                                "veluncertainty",
                                                "bulkvelunc",
                                                "vmax@mpeak"};
  static const std::set<std::string> radii{"rvir",  "rs",   "rs_klypin",
                                           "rvmax", "xoff", "halfmass_radius"};
  static const std::set<std::string> masses{"mvir",          "mvir_all",    "mbound_vir",
                                            "sam_mvir",      "macc",        "mpeak",
                                            "m_pe_behroozi", "m_pe_diemer", "mm200b"};
  const std::string name = lower_case(column);
  if (positions.count(name)) return units.position;
  if (velocities.count(name)) return units.velocity;
  if (radii.count(name)) return units.radius;
  // "M200b", "m500c"
  if (masses.count(name) ||
      (name.size() > 1 && name[0] == 'm' && std::isdigit(static_cast<unsigned char>(name[1]))))
    return units.mass;
  if (name.size() > 1 && name[0] == 'r' && std::isdigit(static_cast<unsigned char>(name[1])))
    return units.radius;
  return {};
}

// The blocks of one output lie in "halos_S.B.ascii".
bool has_further_blocks(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path as_path(path);
  const std::string stem = as_path.stem().string();  // "halos_0.3"
  const auto dot = stem.rfind('.');
  if (as_path.extension() != ".ascii" || dot == std::string::npos) return false;
  const std::string block = stem.substr(dot + 1);
  if (block.empty() || block.find_first_not_of("0123456789") != std::string::npos) return false;
  std::error_code ignored;
  for (const char* other : {"0", "1"})
    if (block != other &&
        fs::exists(as_path.parent_path() / (stem.substr(0, dot + 1) + other + ".ascii"), ignored))
      return true;
  return false;
}

// consistent-trees writes the halos of all times into one file, each time with its scale factor.
void refuse_tree(const HaloTable& table, const std::string& path) {
  const CatalogColumn* scale = table.find("scale");
  if (!scale || !table.find("desc_id")) return;
  for (std::size_t i = 1; i < table.count; ++i)
    if (scale->value(i) != scale->value(0))
      throw BadFile("this is a merger tree (consistent-trees), not a catalog of one time", path,
                    "give the list of one output: out_N.list or hlist_A.list");
}

}  // namespace

bool is_rockstar(const TextHead& head) {
  if (!head.text || head.comments.size() < 2) return false;
  const auto names = rockstar_names(head);
  std::set<std::string> known;
  for (const auto& name : names) known.insert(lower_case(name));
  for (const char* needed : {"id", "x", "y", "z", "vmax"})
    if (!known.count(needed)) return false;
  return std::any_of(head.comments.begin() + 1, head.comments.end(), [](const std::string& line) {
    return line.find("Rockstar") != std::string::npos || line.find("Units:") != std::string::npos ||
           line.find("FOF linking length") != std::string::npos;
  });
}

HaloCatalog open_rockstar(const std::string& path, const CatalogOptions&, Progress& progress) {
  const TextHead head = read_text_head(path);
  if (!is_rockstar(head)) throw NotThisFormat("this is no Rockstar list", path);
  HaloCatalog catalog;
  catalog.format = "Rockstar";
  catalog.files = {path};
  const auto values = comment_values(head.comments);
  const StatedUnits units = stated_units(values);
  TextRows rows =
      read_text_table(path, {rockstar_names(head), CellDelimiter::Blanks, false}, progress);
  refuse_tree(rows.table, path);
  for (auto& column : rows.table.columns) set_unit(column, unit_of(column.name, units));
  catalog.units = {1e6 * kParsecCm, kSolarMassG, 1e5, true, true};
  // Before the names: "Mvir" is one of several, the first is the definition that it was run with.
  static const std::set<std::string> main_masses{"mvir",  "m200b",  "m200c",
                                                 "m500c", "m2500c", "m180b"};
  for (const auto& column : rows.table.columns)
    if (!rows.table.roles.count(HaloRole::Mass) && main_masses.count(lower_case(column.name)))
      rows.table.roles[HaloRole::Mass] = {column.name};
  if (!units.complete)
    catalog.assumed.push_back(
        "The header does not state all units: took Rockstar's custom for the rest, comoving Mpc/h, "
        "kpc/h for radii, Msun/h and km/s.");
  if (has_further_blocks(path))
    catalog.assumed.push_back(
        "Other blocks of the same output lie beside this file: only this one is read.");
  finish_table(std::move(rows), catalog);
  adopt_comment_facts(values, catalog, catalog.tables.front());
  return catalog;
}

}  // namespace haloscope::io
