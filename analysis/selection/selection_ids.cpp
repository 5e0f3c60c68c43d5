#include "analysis/selection/selection_ids.h"

#include "analysis/selection/filter_options.h"
#include "analysis/snapshot/choose_types.h"
#include "analysis/snapshot/open_snapshot.h"
#include "core/array.h"
#include "core/error.h"
#include "io/loading/particle_ids.h"
#include "io/loading/select_rows.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

namespace haloscope::analysis {

namespace {

// What place and value say.
void take_place(const SelectionChoice& chosen, ChosenParticles& particles) {
  if (chosen.kind == SelectionKind::Box)
    particles.selection.region = io::Region{chosen.low, chosen.high};
  if (chosen.kind == SelectionKind::Sphere)
    particles.filter.sphere = io::Sphere{chosen.center, chosen.radius};
  if (chosen.kind == SelectionKind::Value)
    particles.filter.values = {{chosen.field, chosen.limits[0], chosen.limits[1]}};
}

std::shared_ptr<const FoundHalos> halos_of(const SelectionRequest& request, Progress& progress) {
  if (request.halos) return request.halos;
  return std::make_shared<const FoundHalos>(
      find_halos(request.made_in, request.said, request.chosen.search, request.device, progress));
}

// The catalog names members of types without IDs by their rows, which no other column has.
FollowedIds members_of(const SelectionRequest& request, Progress& progress) {
  const auto halos = halos_of(request, progress);
  const std::uint64_t number = request.chosen.halo;
  if (number >= halos->rows.size())
    throw Error(fmt::format("there is no halo {}: {} were found", number, halos->rows.size()),
                request.made_in, "select one of them, or find halos with fewer members");
  const auto reader = open_snapshot(request.made_in, request.said);
  const SnapshotInfo& info = reader->info();
  FollowedIds ids;
  std::vector<int> types;
  for (const auto& [type, all] : halos->members.ids) {
    const auto first = halos->members.offset.at(type).at(std::size_t(number));
    const auto length = halos->members.length.at(type).at(std::size_t(number));
    if (length == 0) continue;
    types.push_back(type);
    if (!io::id_field(info.types.at(type))) {
      ids.said.push_back(fmt::format("{} has no particle IDs: its {} members are left out.",
                                     info.types.at(type).name, length));
      continue;
    }
    require_host_memory(length * sizeof(std::uint64_t), "the particle IDs");
    const auto begin = all.begin() + std::ptrdiff_t(first);
    ids.lists[type] =
        io::id_list(std::vector<std::uint64_t>(begin, begin + std::ptrdiff_t(length)));
  }
  require_ids(info, types);
  return ids;
}

FollowedIds ids_at_home(const SelectionRequest& request, Progress& progress) {
  if (request.chosen.kind == SelectionKind::Halo) return members_of(request, progress);
  const auto reader = open_snapshot(request.made_in, request.said);
  const SnapshotInfo& info = reader->info();
  const std::vector<int> types = choose_types(info, {});
  require_ids(info, types);
  ChosenParticles home;
  take_place(request.chosen, home);
  home.filter = named_filter(info, types, home.filter);
  const io::SelectedRows selected =
      io::find_rows(*reader, types, home.selection, home.filter, progress);
  return ids_of_rows(*reader, selected.rows, progress);
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

ChosenParticles chosen_particles(const SelectionRequest& request, Progress& progress) {
  const bool members = request.chosen.kind == SelectionKind::Halo;
  const bool elsewhere = request.snapshot != request.made_in;
  if (members && elsewhere && !request.chosen.follow_ids)
    throw Error(fmt::format("halo {} was found in {}, which is another snapshot",
                            request.chosen.halo, file_name(request.made_in)),
                request.snapshot, "follow_ids on finds its members here; or find halos anew");
  ChosenParticles particles;
  if (!members && !request.follows()) {
    take_place(request.chosen, particles);
    return particles;
  }
  particles.ids = request.ids ? request.ids
                              : std::make_shared<const FollowedIds>(ids_at_home(request, progress));
  particles.filter.ids = elsewhere ? as_sought_later(particles.ids->lists) : particles.ids->lists;
  return particles;
}

}  // namespace haloscope::analysis
