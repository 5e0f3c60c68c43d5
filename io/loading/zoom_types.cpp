#include "io/loading/zoom_types.h"

#include "core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

namespace {

constexpr int kDarkMatter = 1, kBlackHoles = 5;
// Headers and blocks round their masses.
constexpr double kHeavier = 1.001;

bool is_of_cosmology(const SnapshotInfo& info) {
  return info.units.comoving || info.cosmology.redshift;
}

// Rows of a block of masses that are looked at, at its beginning, in its middle and at its end.
constexpr std::uint64_t kRows = 256;

std::vector<RowRange> some_rows(std::uint64_t count) {
  if (count <= 3 * kRows) return {{0, count}};
  const std::uint64_t middle = count / 2;
  return {{0, kRows}, {middle, middle + kRows}, {count - kRows, count}};
}

// Masses of a few of the type's particles, sorted; empty where they are not known.
std::vector<double> some_masses(const SnapshotReader& reader, int type) {
  const TypeInfo& info = reader.info().types.at(type);
  if (info.uniform_mass > 0) return {info.uniform_mass};
  const FieldInfo* field = info.find(Role::Mass);
  if (!field || field->components != 1) return {};
  const std::vector<RowRange> rows = some_rows(info.count);
  std::vector<double> masses(std::size_t(std::min(info.count, 3 * kRows)), 0);
  const auto visit = [&](const ColumnChunk& chunk) {
    std::size_t place = 0;
    for (const RowRange& range : rows) {
      const std::uint64_t end = std::min(range.end, chunk.first + chunk.rows);
      for (std::uint64_t row = std::max(range.begin, chunk.first); row < end; ++row)
        masses[place + std::size_t(row - range.begin)] = chunk.value(row - chunk.first, 0);
      place += std::size_t(range.end - range.begin);
    }
  };
  try {
    Progress nobody_watches;
    reader.read_rows(type, field->name, rows, visit, nobody_watches);
  } catch (const Error&) {
    return {};
  }
  std::erase_if(masses, [](double m) { return !(m > 0); });
  std::sort(masses.begin(), masses.end());
  return masses;
}

// Dark matter comes in a few masses, black holes grow each to its own.
bool mostly_alike(std::vector<double> masses) {
  const std::size_t all = masses.size();
  masses.erase(std::unique(masses.begin(), masses.end()), masses.end());
  return 2 * masses.size() <= all;
}

bool has_only_fields_of(const TypeInfo& type, const TypeInfo& dark_matter) {
  const FieldInfo* mass = type.find(Role::Mass);
  return std::all_of(type.fields.begin(), type.fields.end(), [&](const FieldInfo& field) {
    return dark_matter.find(field.name) || (mass && field.name == mass->name);
  });
}

// Whether the type has its number's usual meaning in a zoom, by what is known without its masses.
bool may_be_dark_matter(const TypeInfo& type, int number, const TypeInfo& dark_matter) {
  const bool own_word = type.name != type_name(number);
  return (number != kBlackHoles && !own_word) || has_only_fields_of(type, dark_matter);
}

}  // namespace

std::map<int, double> find_zoom_types(const SnapshotReader& reader) {
  const SnapshotInfo& info = reader.info();
  const auto dark_matter = info.types.find(kDarkMatter);
  if (!is_of_cosmology(info) || dark_matter == info.types.end()) return {};
  std::map<int, double> found;
  std::optional<std::vector<double>> fine;
  for (const int number : {2, 3, kBlackHoles}) {
    const auto type = info.types.find(number);
    if (type == info.types.end() || type->second.count == 0 ||
        !may_be_dark_matter(type->second, number, dark_matter->second))
      continue;
    if (!fine) fine = some_masses(reader, kDarkMatter);
    if (fine->empty()) return {};
    const std::vector<double> coarse = some_masses(reader, number);
    if (coarse.empty()) continue;
    const bool own_masses = number == kBlackHoles && !(type->second.uniform_mass > 0);
    if (own_masses && !mostly_alike(coarse)) continue;
    const double ratio = coarse[coarse.size() / 2] / (*fine)[fine->size() / 2];
    if (ratio > kHeavier) found[number] = ratio;
  }
  return found;
}

void name_other_types(SnapshotInfo& info) {
  if (!is_of_cosmology(info)) return;
  for (const int number : {2, 3})
    if (const auto type = info.types.find(number);
        type != info.types.end() && type->second.name == type_name(number))
      type->second.name = fmt::format("type {}", number);
}

void name_zoom_types(const std::map<int, double>& times_as_heavy, SnapshotInfo& info) {
  if (times_as_heavy.empty()) return;
  std::vector<std::string> words;
  for (const auto& [number, ratio] : times_as_heavy) {
    TypeInfo& type = info.types.at(number);
    type.low_resolution = true;
    // SWIFT calls them "background dm" itself.
    if (type.name.find("dm") == std::string::npos) type.name = fmt::format("low-res dm {}", number);
    words.push_back(
        fmt::format("type {} ({}) are typically {:.3g} times", number, type.name, ratio));
  }
  info.assumed.push_back(
      fmt::format("The particles of {} as heavy as those of type 1: took them for dark matter of "
                  "low resolution, which pictures show only where it is asked for.",
                  fmt::join(words, ", those of ")));
}

}  // namespace haloscope::io
