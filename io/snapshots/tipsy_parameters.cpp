#include "io/snapshots/tipsy_parameters.h"

#include "core/error.h"
#include "io/bytes/numbered_files.h"
#include "io/text/solar_mass.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 1 << 20;
constexpr double kGravity = 6.6743e-8;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<TipsyParameters> parse(const std::string& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed) || fs::file_size(path, failed) > kLargestFile) return {};
  std::ifstream file(path);
  TipsyParameters parameters;
  parameters.path = path;
  std::string line;
  while (std::getline(file, line)) {
    line = line.substr(0, line.find('#'));
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    parameters.values[trimmed(line.substr(0, equals))] = trimmed(line.substr(equals + 1));
  }
  return parameters;
}

// The side of a cubic box; 0 when it is not one.
double box_side(const TipsyParameters& parameters) {
  const double side = parameters.number("dPeriod").value_or(1);
  const double x = parameters.number("dxPeriod").value_or(side);
  const double y = parameters.number("dyPeriod").value_or(side);
  const double z = parameters.number("dzPeriod").value_or(side);
  return x > 0 && std::isfinite(x) && x == y && x == z ? x : 0;
}

void describe_box(const TipsyParameters& parameters, SnapshotInfo& info) {
  if (!parameters.flag("bPeriodic")) return;
  info.box_size = box_side(parameters);
  if (info.box_size == 0) {
    info.assumed.push_back(
        {"The periods in the .param file make no cube: taken as not periodic.", {Fact::Box}});
    return;
  }
  info.periodic = true;
  info.box_origin.fill(-info.box_size / 2);
}

bool describe_units(const TipsyParameters& parameters, SnapshotInfo& info) {
  const auto kpc = parameters.number("dKpcUnit"), sun = parameters.number("dMsolUnit");
  if (!kpc || !sun || !(*kpc > 0) || !(*sun > 0) || !std::isfinite(*kpc * *sun)) {
    info.assumed.push_back(
        {"The .param file has no dKpcUnit and dMsolUnit: units are unknown.", kUnitFacts});
    return false;
  }
  info.units.length_cm = *kpc * kCmPerKpc;
  info.units.mass_g = *sun * kSolarMassG;
  info.units.velocity_cm_per_s = std::sqrt(kGravity * info.units.mass_g / info.units.length_cm);
  return true;
}

void describe_cosmology(const TipsyParameters& parameters, double time, bool units_known,
                        SnapshotInfo& info) {
  if (!parameters.flag("bComove")) return;
  info.units.comoving = true;
  Cosmology& cosmology = info.cosmology;
  cosmology.omega_matter = parameters.number("dOmega0").value_or(0);
  cosmology.omega_lambda = parameters.number("dLambda").value_or(0);
  if (time > 0) {
    cosmology.scale_factor = time;
    cosmology.redshift = 1 / time - 1;
  } else {
    info.assumed.push_back("The time of a comoving run is not positive: took a = 1.");
    cosmology.redshift = 0;
  }
  const auto hubble = parameters.number("dHubble0");
  if (hubble && units_known) {
    // In units of velocity over length; h is in units of 100 km/s/Mpc.
    const double per_second = *hubble * info.units.velocity_cm_per_s / info.units.length_cm;
    const double h = per_second * kCmPerKpc * 1000 / 1e5 / 100;
    if (h > 1e-3 && h < 1e3) cosmology.hubble_param = h;
  }
}

}  // namespace

std::optional<double> TipsyParameters::number(const std::string& key) const {
  const auto found = values.find(key);
  if (found == values.end()) return {};
  double value = 0;
  const std::string& text = found->second;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end == text.data()) return {};
  return value;
}

std::optional<TipsyParameters> find_tipsy_parameters(const std::string& snapshot) {
  const fs::path path(snapshot);
  std::string stem = path.filename().string();
  while (true) {
    if (auto found = parse((path.parent_path() / (stem + ".param")).string())) return found;
    const auto dot = stem.rfind('.');
    if (dot == std::string::npos || dot == 0) break;
    stem.resize(dot);
  }
  std::vector<std::string> candidates;
  const std::string folder = path.parent_path().empty() ? "." : path.parent_path().string();
  for (const auto& file : files_in(folder))
    if (fs::path(file).extension() == ".param") candidates.push_back(file);
  return candidates.size() == 1 ? parse(candidates.front()) : std::nullopt;
}

bool describe_tipsy(const std::optional<TipsyParameters>& parameters, double time,
                    SnapshotInfo& info) {
  info.time = time;
  if (!parameters) {
    std::set<Fact> facts = kUnitFacts;
    facts.insert(Fact::Box);
    info.assumed.push_back(
        {"Tipsy files have no units and no box, and no .param file beside this one is its own: "
         "units are unknown, the box is taken as not periodic.",
         facts});
    return false;
  }
  info.assumed.push_back("Units, box and cosmology are those of " +
                         fs::path(parameters->path).filename().string() + ".");
  const bool units_known = describe_units(*parameters, info);
  describe_box(*parameters, info);
  describe_cosmology(*parameters, time, units_known, info);
  return units_known;
}

}  // namespace haloscope::io
