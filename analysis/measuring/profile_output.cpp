#include "analysis/measuring/profile_output.h"

#include "analysis/plot_units.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <utility>

namespace haloscope::analysis {

namespace {

std::string series_group(const ProfileSeries& series) {
  return series.type ? fmt::format("PartType{}", *series.type) : "All";
}

// A number of each bin, with its place in tables.
struct ProfileQuantity {
  const char* name;
  double ProfileBin::*member;
  std::string RadialProfile::*unit;  // null: none
  const char* about;
};

const ProfileQuantity kProfileQuantities[] = {
    {"count_low", &ProfileBin::count_low, nullptr,
     "lower limit of the count, one sigma (Gehrels 1986)"},
    {"count_high", &ProfileBin::count_high, nullptr, "upper limit of the count"},
    {"density", &ProfileBin::density, &RadialProfile::density_unit, "mass by volume"},
    {"density_low", &ProfileBin::density_low, &RadialProfile::density_unit,
     "its lower limit, one sigma"},
    {"density_high", &ProfileBin::density_high, &RadialProfile::density_unit, "its upper limit"},
    {"mass_within", &ProfileBin::mass_within, &RadialProfile::mass_unit,
     "mass within the upper edge"},
    {"radial_velocity", &ProfileBin::radial_velocity, &RadialProfile::velocity_unit,
     "mass-weighted mean of the peculiar velocity outwards"},
    {"radial_velocity_error", &ProfileBin::radial_velocity_error, &RadialProfile::velocity_unit,
     "one sigma: dispersion by the root of the number"},
    {"velocity_dispersion", &ProfileBin::dispersion, &RadialProfile::velocity_unit,
     "one-dimensional, about the bin's mean velocity"},
    {"velocity_dispersion_error", &ProfileBin::dispersion_error, &RadialProfile::velocity_unit,
     "one sigma: dispersion by the root of six times the number less one"}};

std::string quantity_unit(const RadialProfile& profile, const ProfileQuantity& quantity) {
  return quantity.unit ? profile.*quantity.unit : std::string();
}

template <class T, class Get>
std::vector<T> bin_values(const ProfileSeries& series, const Get& get) {
  std::vector<T> values;
  for (const ProfileBin& bin : series.bins) values.push_back(get(bin));
  return values;
}

void add_series_datasets(const ProfileSeries& series, const RadialProfile& profile,
                         MeasuredDatasets& all) {
  const std::string group = series_group(series) + "/";
  all.add_counts(group + "count", "particles in the bin",
                 bin_values<std::uint64_t>(series, [](const auto& bin) { return bin.count; }));
  all.add_counts(
      group + "count_within", "particles within the upper edge",
      bin_values<std::uint64_t>(series, [](const auto& bin) { return bin.count_within; }));
  for (const ProfileQuantity& quantity : kProfileQuantities)
    all.add(group + quantity.name, quantity_unit(profile, quantity), quantity.about,
            bin_values<double>(series, [&](const auto& bin) { return bin.*quantity.member; }));
  if (series.has_temperature)
    all.add(group + "temperature", "K", "mass-weighted mean",
            bin_values<double>(series, [](const auto& bin) { return bin.temperature; }));
  all.add_counts(group + "doubts",
                 "0: trusted; sum of 1: forces are softened, 2: two-body relaxation, 4: fewer than "
                 "ten particles",
                 bin_values<std::uint64_t>(series, [](const ProfileBin& bin) {
                   return std::uint64_t(bin.doubts.softened) +
                          2 * std::uint64_t(bin.doubts.relaxed) + 4 * std::uint64_t(bin.doubts.few);
                 }));
}

bool has_temperatures(const RadialProfile& profile) {
  for (const ProfileSeries& series : profile.series)
    if (series.has_temperature) return true;
  return false;
}

}  // namespace

std::string doubts_in_words(const ProfileDoubts& doubts, const char* between) {
  std::string words;
  const auto add = [&](bool doubt, const char* word) {
    if (doubt) words += (words.empty() ? "" : between) + std::string(word);
  };
  add(doubts.softened, "softening");
  add(doubts.relaxed, "relaxation");
  add(doubts.few, "few");
  return words;
}

std::vector<std::string> profile_in_words(const RadialProfile& p) {
  const std::string length = unit_behind(p.length_unit), velocity = unit_behind(p.velocity_unit);
  std::vector<std::string> words;
  words.push_back(fmt::format("center: {:.8g}, {:.8g}, {:.8g} {}{}", p.center[0], p.center[1],
                              p.center[2], length, p.comoving ? ", comoving" : ""));
  words.push_back(fmt::format("particles: {} between {:.6g} and {:.6g} {}", p.particles,
                              p.edges.low(), p.edges.high(), length));
  if (!p.radii_from.empty()) words.push_back("radii: " + p.radii_from);
  words.push_back(fmt::format("velocities are relative to {:.6g}, {:.6g}, {:.6g} {}: {}",
                              p.velocity[0], p.velocity[1], p.velocity[2], velocity,
                              p.velocity_from));
  if (p.expansion > 0)
    words.push_back(
        fmt::format("the expansion adds {:.6g} {} per {} to radial velocities, which "
                    "are peculiar",
                    p.expansion, velocity, p.length_unit));
  words.push_back(p.r200 ? fmt::format("R200: {:.6g} {} ({})", *p.r200, length, p.r200_from)
                         : "R200: not known: " + p.r200_from);
  words.push_back(p.softening
                      ? fmt::format("softening: {:.6g} {}, forces are Newton's from {:.6g} {} on",
                                    *p.softening, length, kSoftenedReach * *p.softening, length)
                      : std::string("softening: not known"));
  words.push_back(p.relaxation_radius
                      ? fmt::format("two-body relaxation: within {:.6g} {} (Power et al. 2003)",
                                    *p.relaxation_radius, length)
                      : std::string("two-body relaxation: not known"));
  return words;
}

std::string profile_csv(const RadialProfile& profile, const std::vector<std::string>& origin) {
  CsvRows rows;
  for (const std::string& line : origin) rows.comment(line);
  for (const std::string& line : profile_in_words(profile)) rows.comment(line);
  rows.comment(
      fmt::format("radii in {0}, masses in {1}, densities in {2}{3}, velocities in {4}, "
                  "temperatures in K",
                  profile.length_unit, profile.mass_unit, profile.density_unit,
                  profile.comoving ? ", comoving" : "", profile.velocity_unit));
  rows.comment(
      "count_low, count_high and density_low, density_high: one sigma, Gehrels 1986; within: of "
      "the "
      "upper edge; doubts: why a bin is not to be trusted (softening, relaxation, few: fewer than "
      "ten particles)");
  const bool temperatures = has_temperatures(profile);
  std::string head = "type,r_low,r_high,r,count,count_within";
  for (const ProfileQuantity& quantity : kProfileQuantities)
    head += std::string(",") + quantity.name;
  rows.head(head + (temperatures ? ",temperature" : "") + ",doubts");
  for (const ProfileSeries& series : profile.series)
    for (std::size_t k = 0; k < series.bins.size(); ++k) {
      const ProfileBin& bin = series.bins[k];
      rows.cell(series.name).cell(profile.edges.edge(k)).cell(profile.edges.edge(k + 1));
      rows.cell(profile.edges.middle(k)).cell(bin.count).cell(bin.count_within);
      for (const ProfileQuantity& quantity : kProfileQuantities) rows.cell(bin.*quantity.member);
      if (temperatures) rows.cell(series.has_temperature ? bin.temperature : std::nan(""));
      rows.cell(doubts_in_words(bin.doubts));
      rows.end();
    }
  return rows.text();
}

MeasuredDatasets profile_datasets(const RadialProfile& profile) {
  MeasuredDatasets all;
  const std::string& length = profile.length_unit;
  all.add("Edges", length, "edges of the bins", profile.edges.edges());
  all.add("Center", length, "", {profile.center.begin(), profile.center.end()});
  all.add("FrameVelocity", profile.velocity_unit,
          "what velocities are relative to: " + profile.velocity_from,
          {profile.velocity.begin(), profile.velocity.end()});
  if (profile.r200) all.add("R200", length, profile.r200_from, {*profile.r200});
  if (profile.softening) all.add("Softening", length, "Plummer equivalent", {*profile.softening});
  if (profile.relaxation_radius)
    all.add("RelaxationRadius", length, "Power et al. 2003", {*profile.relaxation_radius});
  all.add("Expansion", fmt::format("{} per {}", profile.velocity_unit, length),
          "times the radius: the velocity of the expansion, which peculiar velocities lack",
          {profile.expansion});
  for (const ProfileSeries& series : profile.series) add_series_datasets(series, profile, all);
  return all;
}

}  // namespace haloscope::analysis
