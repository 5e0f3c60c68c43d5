#include "analysis/whole/whole_finder.h"

#include "analysis/halos/mean_spacing.h"
#include "analysis/plot_units.h"
#include "analysis/snapshot/choose_types.h"
#include "analysis/snapshot/densest_clump.h"
#include "analysis/whole/half_mass_radius.h"
#include "analysis/whole/whole_options.h"
#include "core/array.h"
#include "io/loading/particle_loader.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::analysis {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct WholeType {
  int number = 0;
  std::string name;
  std::uint64_t count = 0;
  double mass = kUnknown;
};

// Code units.
struct WholeProperties {
  std::vector<WholeType> types;
  Vec densest{0, 0, 0};
  std::optional<Vec> center_of_mass;  // none in a periodic box, where it means nothing
  double half_mass_radius = 0, reach = 0;

  std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (const WholeType& type : types) sum += type.count;
    return sum;
  }
  double mass() const {
    double sum = 0;
    for (const WholeType& type : types) sum += type.mass;
    return sum;
  }
};

bool all_have_masses(const SnapshotInfo& info, const std::vector<int>& types) {
  for (const int type : types)
    if (!has_masses(info.types.at(type))) return false;
  return true;
}

ParticleSet read_whole(const io::SnapshotReader& reader, const std::vector<int>& types, bool masses,
                       const FindRequest& request, Progress& progress) {
  io::LoadRequest load;
  for (const int type : types) load.types.push_back({type, {}, false, masses});
  std::optional<KnownPositions> known;
  if (request.resident && is_current(*request.resident)) known = known_positions(request.resident);
  load.known = known ? &*known : nullptr;
  return io::load_particles(reader, load, progress);
}

double mass_at(const ParticleColumns& columns, std::size_t row) {
  return columns.mass.empty() ? columns.uniform_mass : double(columns.mass[row]);
}

// Each particle counts alike where masses are not known.
Vec whole_center(const ParticleSet& particles) {
  Vec sum{0, 0, 0};
  double mass = 0;
  for (const ParticleColumns& columns : particles.types)
    for (std::size_t i = 0; i < columns.count; ++i) {
      const double m = mass_at(columns, i);
      mass += m;
      for (std::size_t axis = 0; axis < 3; ++axis)
        sum[axis] += m * particles.domain.to_world(columns.position[axis][i], int(axis));
    }
  for (double& one : sum) one /= mass;
  return sum;
}

WholeProperties measure_whole(const ParticleSet& particles, bool masses) {
  WholeProperties whole;
  std::vector<const ParticleColumns*> types;
  for (const ParticleColumns& columns : particles.types) {
    types.push_back(&columns);
    whole.types.push_back(
        {columns.type, columns.name, columns.count, masses ? total_mass(columns) : kUnknown});
  }
  if (const auto clump = densest_clump(particles.domain, types)) {
    whole.densest = clump->center;
    whole.reach = clump->reach;
  }
  if (!particles.domain.periodic) whole.center_of_mass = whole_center(particles);
  whole.half_mass_radius = half_mass_radius(particles, whole.densest);
  return whole;
}

// Every row of the file: one that has no place is drawn nowhere.
Labels label_all(const SnapshotInfo& info, const std::vector<int>& types) {
  std::uint64_t rows = 0;
  for (const int type : types) rows += info.types.at(type).count;
  require_host_memory(rows * sizeof(std::uint32_t), "the labels of the whole snapshot");
  Labels labels;
  labels.pieces = 1;
  for (const int type : types)
    labels.of[type].assign(std::size_t(info.types.at(type).count), std::uint32_t(0));
  return labels;
}

CatalogColumn whole_column(const std::string& name, const std::string& unit,
                           std::vector<double> values, const std::string& description) {
  CatalogColumn column;
  column.name = name;
  column.unit = unit;
  column.components = int(values.size());
  column.values = std::move(values);
  column.description = description;
  return column;
}

CatalogColumn count_column(const std::string& name, std::vector<std::uint64_t> values,
                           const std::string& description) {
  CatalogColumn column = whole_column(name, "", {}, description);
  column.components = int(values.size());
  column.scalar = ScalarType::UInt64;
  column.values = std::move(values);
  return column;
}

HaloTable whole_table(const WholeProperties& whole, const Units& units) {
  const std::string length = io::length_unit(units), mass = io::mass_unit(units);
  std::vector<std::uint64_t> members_of_type(6, 0);
  std::vector<double> mass_of_type(6, 0.);
  for (const WholeType& type : whole.types) {
    const auto at = std::size_t(type.number);
    members_of_type.resize(std::max(members_of_type.size(), at + 1));
    mass_of_type.resize(members_of_type.size());
    members_of_type[at] = type.count;
    mass_of_type[at] = type.mass;
  }
  HaloTable table;
  table.name = "Whole";
  table.count = 1;
  table.columns = {count_column("Members", {whole.count()}, "Particles"),
                   count_column("MembersType", members_of_type, "Particles by type"),
                   whole_column("Mass", mass, {whole.mass()}, "Total mass"),
                   whole_column("MassType", mass, mass_of_type, "Mass by type"),
                   whole_column("Position", length, {whole.densest.begin(), whole.densest.end()},
                                "Middle of the densest large clump, by a shrinking sphere"),
                   whole_column("HalfMassRadius", length, {whole.half_mass_radius},
                                "Radius about Position within which half of the mass lies")};
  if (const auto& center = whole.center_of_mass)
    table.columns.push_back(whole_column("CenterOfMass", length, {center->begin(), center->end()},
                                         "Center of mass of all particles"));
  table.roles = {{HaloRole::MemberCount, {"Members"}},
                 {HaloRole::Mass, {"Mass"}},
                 {HaloRole::Position, {"Position"}}};
  return table;
}

void list_whole(const WholeProperties& whole, const Units& units, Finding& finding) {
  finding.columns.push_back({"Members", "", {double(whole.count())}, true});
  finding.columns.push_back({"Mass", io::mass_unit(units), {whole.mass()}});
  PieceColumn radius{"Half mass", io::length_unit(units), {whole.half_mass_radius}};
  radius.help = "The radius about the densest place that holds half of the mass.";
  finding.columns.push_back(std::move(radius));
  for (const WholeType& type : whole.types) {
    PieceColumn count{type.name, "", {double(type.count)}, true};
    count.help = fmt::format("Particles of {}.", type.name);
    finding.columns.push_back(std::move(count));
  }
  finding.members_column = 0;
  finding.radius_column = 2;
  finding.places.push_back({whole.densest, whole.half_mass_radius});
}

void make_whole_catalog(const WholeProperties& whole, const SnapshotInfo& info, Finding& finding) {
  finding.provenance.snapshot = fmt::format("{}", fmt::join(info.files, " "));
  finding.catalog.format = "haloscope";
  finding.catalog.box_size = info.box_size;
  finding.catalog.periodic = info.periodic;
  finding.catalog.cosmology = info.cosmology;
  finding.catalog.units = info.units;
  finding.catalog.tables.push_back(whole_table(whole, info.units));
}

std::string whole_in_words(const WholeProperties& whole, const Units& units) {
  const std::string length = io::length_unit(units), mass = io::mass_unit(units);
  const auto with_unit = [](double value, const std::string& stored) {
    const auto [factor, unit] = without_power(stored);
    value *= factor;
    return fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit);
  };
  return fmt::format(
      "The whole snapshot: {} particles{}, half of the mass within {} of {:.6g}, {:.6g}, {:.6g}",
      whole.count(),
      std::isnan(whole.mass()) ? "" : fmt::format(", mass {}", with_unit(whole.mass(), mass)),
      with_unit(whole.half_mass_radius, length), whole.densest[0], whole.densest[1],
      whole.densest[2]);
}

class WholeFinder final : public FinderOf<WholeOptions> {
 public:
  WholeFinder()
      : FinderOf({"whole", "whole snapshot", "whole snapshots",
                  "All particles as one structure, as of an isolated galaxy",
                  "The snapshot has no particles.", false, false, "", "the whole snapshot"}) {}

  Finding search(const io::SnapshotReader& reader, const WholeOptions& options,
                 const FindRequest& request, Progress& progress) const override {
    const SnapshotInfo& info = reader.info();
    const std::vector<int> types = choose_types(info, options.types, "`types`");
    Finding finding;
    finding.pieces = 1;
    finding.labels = std::make_shared<const Labels>(label_all(info, types));
    if (request.only_labels) return finding;
    const bool masses = all_have_masses(info, types);
    const ParticleSet particles = read_whole(reader, types, masses, request, progress);
    if (!request.resident)
      finding.notes.insert(finding.notes.end(), particles.assumed.begin(), particles.assumed.end());
    if (!masses)
      finding.notes.push_back(
          "The file tells no masses of some particles: the whole has no mass, and each particle "
          "counts alike for its half mass radius.");
    const WholeProperties whole = measure_whole(particles, masses);
    finding.summary = whole_in_words(whole, info.units);
    list_whole(whole, info.units, finding);
    make_whole_catalog(whole, info, finding);
    return finding;
  }
};

}  // namespace

std::shared_ptr<const Finder> make_whole_finder() {
  return std::make_shared<WholeFinder>();
}

}  // namespace haloscope::analysis
