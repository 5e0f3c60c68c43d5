#include "analysis/measuring/profile_search.h"

#include "analysis/measuring/catalog_structure.h"
#include "analysis/measuring/temperature_field.h"
#include "analysis/snapshot/choose_types.h"
#include "analysis/snapshot/peculiar_velocities.h"
#include "core/error.h"
#include "io/snapshots/gadget_softening.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace haloscope::analysis {

namespace {

// The largest of the types measured: it limits them all.
std::optional<double> softening_of(const SnapshotInfo& info, const std::vector<int>& types,
                                   std::vector<std::string>& said) {
  std::optional<double> largest;
  for (const int type : types)
    if (const auto one = io::stored_softening(info, type))
      largest = std::max(largest.value_or(0), *one);
  if (!largest)
    said.push_back(
        "The softening of gravity is not known: bins where it matters are not marked (`softening` "
        "gives it).");
  return largest;
}

// How far out anything is needed, where that is known; nothing: all is read.
std::optional<double> known_reach(const SnapshotInfo& info, const ProfileRequest& request) {
  if (!info.periodic) return {};
  std::optional<double> reach;
  if (request.radii) reach = (*request.radii)[1];
  if (!request.radii && request.r200) reach = 2 * *request.r200;
  // A region as wide as the box is all of it.
  if (reach && !(*reach < 0.45 * info.box_size)) return {};
  return reach;
}

std::string place_in_words(const ProfileRequest& request, const SnapshotInfo& info) {
  if (!request.about.empty()) return request.about;
  return fmt::format("{:.6g}, {:.6g}, {:.6g} {}", request.center[0], request.center[1],
                     request.center[2], io::length_unit(info.units));
}

std::string snapshot_in_words(const SnapshotInfo& info) {
  if (info.files.empty()) return "the snapshot";
  const std::string first = std::filesystem::path(info.files.front()).filename().string();
  return info.files.size() == 1 ? first : fmt::format("{} ({} files)", first, info.files.size());
}

// Nothing but the box where no particle lies in the region around the center.
ParticleSet read_around(const io::SnapshotReader& reader, const io::LoadRequest& load,
                        Progress& progress) {
  try {
    return io::load_particles(reader, load, progress);
  } catch (const io::EmptyRegion&) {
    const SnapshotInfo& info = reader.info();
    ParticleSet nothing;
    nothing.domain = {info.box_origin, info.box_size, info.periodic};
    return nothing;
  }
}

}  // namespace

ProfileRequest profile_request(const SnapshotInfo& info, const ProfileOptions& options,
                               const HaloCatalog* catalog, std::vector<std::string>& said) {
  ProfileRequest request;
  request.types = choose_types(info, options.types);
  request.radii = radii_of(options);
  request.bins = options.bins;
  request.softening =
      options.softening ? options.softening : softening_of(info, request.types, said);
  if (options.structure && catalog) {
    CatalogStructure found = structure_of(*catalog, options.table, *options.structure, info);
    request.about = found.name;
    request.center = found.center;
    request.r200 = found.r200;
    request.r200_from = fmt::format("{} of {}", found.r200_column, found.name);
    request.velocity = found.velocity;
    request.velocity_from = "that of " + found.name;
    said.insert(said.end(), found.said.begin(), found.said.end());
  } else {
    request.center = center_of(options).value_or(std::array<double, 3>{});
  }
  if (const auto velocity = velocity_of(options)) {
    request.velocity = velocity;
    request.velocity_from = "as given";
  }
  return request;
}

io::LoadRequest plan_profile_load(const SnapshotInfo& info, const ProfileRequest& request) {
  io::LoadRequest load;
  for (const int type : request.types) {
    io::LoadRequest::Type one{type, {}, false};
    if (auto name = velocity_field(info.types.at(type)); !name.empty())
      one.fields.push_back(std::move(name));
    if (auto name = temperature_field(info, type); !name.empty())
      one.fields.push_back(std::move(name));
    load.types.push_back(std::move(one));
  }
  if (const auto reach = known_reach(info, request)) {
    io::Region region;
    // A little more, so that no rounding takes a particle away.
    const double half = *reach * 1.001;
    for (std::size_t a = 0; a < 3; ++a) {
      region.low[a] = request.center[a] - half;
      region.high[a] = request.center[a] + half;
    }
    load.selection.region = region;
  }
  return load;
}

RadialProfile find_profile(const io::SnapshotReader& reader, const ProfileOptions& options,
                           const HaloCatalog* catalog, Progress& progress, const std::string& about,
                           const std::shared_ptr<const ResidentPoints>& resident) {
  const SnapshotInfo& info = reader.info();
  std::vector<std::string> said;
  ProfileRequest request = profile_request(info, options, catalog, said);
  if (!about.empty()) request.about = about;
  io::LoadRequest load = plan_profile_load(info, request);
  std::optional<KnownPositions> known;
  if (resident && is_current(*resident)) known = known_positions(resident);
  load.known = known ? &*known : nullptr;
  // What lies beyond the last radius is left out later.
  load.rough_region = true;
  ParticleSet particles = read_around(reader, load, progress);
  // Nobody has asked for the region that is read.
  for (const std::string& sentence : particles.assumed)
    if (!load.selection.region || sentence.find("particles lie in the region") == std::string::npos)
      said.push_back(sentence);
  for (ParticleColumns& columns : particles.types) make_velocities_peculiar(info, columns, said);
  RadialProfile profile = measure_profile(info, particles, request, progress);
  profile.about = fmt::format("{} in {}", place_in_words(request, info), snapshot_in_words(info));
  profile.said.insert(profile.said.begin(), said.begin(), said.end());
  return profile;
}

}  // namespace haloscope::analysis
