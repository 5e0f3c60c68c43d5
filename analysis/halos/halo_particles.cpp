#include "analysis/halos/halo_particles.h"

#include "analysis/halos/mean_spacing.h"
#include "analysis/snapshot/peculiar_velocities.h"
#include "compute/exec/named_range.h"
#include "io/loading/density_check.h"
#include "io/snapshots/gadget_softening.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

namespace haloscope::analysis {

namespace {

// About any halo, a sphere of 200 times the mean density would hold all particles of the box, and
// each would be looked at for each halo. (One of 200 times the critical density would hold them
// from 200/Omega0 on.) `mass`: of all that was read; none: the header may tell.
bool fills_spheres(const SnapshotInfo& info, std::optional<double> mass = {}) {
  return io::density_over_omega(info, mass).value_or(0) > 200;
}

}  // namespace

std::vector<int> types_around(const SnapshotInfo& info, HaloSearch& found,
                              const MemberWords& words) {
  const bool spheres = compute::halos::make_physics(info.units, info.cosmology).hubble_now > 0 &&
                       !fills_spheres(info);
  std::vector<int> around;
  std::vector<std::string> without_members, not_counted;
  for (const auto& [type, one] : info.types) {
    if (one.count == 0 || found.has_members(type)) continue;
    without_members.push_back(one.name);
    if (spheres && one.find(Role::Position) && has_masses(one))
      around.push_back(type);
    else
      not_counted.push_back(one.name);
  }
  if (!without_members.empty())
    found.said.push_back(
        fmt::format("{} have no members of {}, which {} not name{}.", words.groups,
                    fmt::join(without_members, ", "), words.named_by,
                    around.empty() || !words.of_all_matter ? "" : "; spheres count all matter"));
  if (spheres && !not_counted.empty())
    found.said.push_back(
        fmt::format("Spheres leave out {}, of which the file tells no positions or no masses.",
                    fmt::join(not_counted, ", ")));
  return around;
}

io::LoadRequest plan_halo_load(const SnapshotInfo& info, const HaloSearch& found,
                               const std::vector<int>& around, const KnownPositions* known) {
  io::LoadRequest load;
  load.known = known;
  for (const auto* types : {&found.linked, &found.attached})
    for (const int type : *types) {
      io::LoadRequest::Type one{type, {}};
      one.smoothing_length = types == &found.attached;
      if (const auto name = velocity_field(info.types.at(type)); !name.empty())
        one.fields.push_back(name);
      load.types.push_back(std::move(one));
    }
  for (const int type : around) load.types.push_back({type, {}, false});
  return load;
}

void read_halo_particles(const io::SnapshotReader& reader, const io::LoadRequest& load,
                         HaloSearch& found, Progress& progress, compute::Ranks& ranks) {
  const compute::TimedRange timer(found.timings, "read");
  found.particles = io::load_particles(reader, load, progress);
  for (auto& columns : found.particles.types)
    if (found.has_members(columns.type))
      make_velocities_peculiar(reader.info(), columns, found.said);
  found.matter = matter_read(reader.info(), found.particles, ranks);
  found.no_spheres = fills_spheres(
      reader.info(), found.matter.all ? std::optional(found.matter.mass) : std::nullopt);
}

compute::halos::HaloPhysics halo_physics(const SnapshotInfo& info, const HaloSearch& found) {
  compute::halos::HaloPhysics physics = compute::halos::make_physics(info.units, info.cosmology);
  if (found.no_spheres) physics.hubble0 = physics.hubble_now = 0;
  physics.softening = found.softening;
  return physics;
}

void choose_softening(const SnapshotInfo& info, const std::optional<double>& asked,
                      HaloSearch& found) {
  const int type = found.linked.front();
  const auto stored = io::stored_softening(info, type);
  found.softening = asked.value_or(stored.value_or(0));
  if (!(found.softening > 0))
    found.said.push_back(fmt::format(
        "The softening of gravity is not known{}: positions of lowest potential are those of "
        "point masses, which close pairs pull away from the centers (`softening` gives it).",
        info.types.at(type).find("Softening") ? " (that of each particle is not used)" : ""));
  else if (!asked)
    found.from_file.push_back(fmt::format("the softening of gravity, that of {}: {:.6g}",
                                          info.types.at(type).name, found.softening));
}

}  // namespace haloscope::analysis
