#include "render/film/series_checks.h"

#include "analysis/snapshot/snapshot_interval.h"
#include "core/error.h"
#include "render/scene/choose_looks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace haloscope::render {

namespace {

// Relative difference of boxes that are the same.
constexpr double kSameBox = 1e-6;
constexpr const char* kWholeSnapshots = "--interpolate none";

bool differ(double a, double b) {
  return std::abs(a - b) > kSameBox * std::max(std::abs(a), std::abs(b));
}

bool same_box(const SnapshotInfo& a, const SnapshotInfo& b) {
  if (a.periodic != b.periodic) return false;
  if (!a.periodic) return true;
  for (std::size_t c = 0; c < 3; ++c)
    if (std::abs(a.box_origin[c] - b.box_origin[c]) > kSameBox * b.box_size) return false;
  return !differ(a.box_size, b.box_size);
}

std::string box_in_words(const SnapshotInfo& info) {
  return info.periodic && info.box_size > 0 ? fmt::format("a periodic box of {:.8g}", info.box_size)
                                            : "no periodic box";
}

std::string types_in_words(const SnapshotInfo& info, const std::vector<int>& types) {
  std::vector<std::string> names;
  for (const int type : types) names.push_back(info.types.at(type).name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<int> sorted(std::vector<int> types) {
  std::sort(types.begin(), types.end());
  return types;
}

}  // namespace

void require_one_run(const std::vector<std::string>& names, const std::vector<SnapshotInfo>& infos,
                     const RenderRequest& request) {
  const SnapshotInfo& first = infos.front();
  const auto wanted = sorted(drawn_types(first, request));
  for (std::size_t n = 1; n < names.size(); ++n) {
    const SnapshotInfo& info = infos[n];
    if (!same_box(info, first))
      throw Error(fmt::format("the snapshots of a film have one box, but this one has {}, and {} "
                              "has {}",
                              box_in_words(info), names.front(), box_in_words(first)),
                  names[n], "give snapshots of one run");
    if (differ(info.units.length_cm, first.units.length_cm) ||
        info.units.per_h != first.units.per_h || info.units.comoving != first.units.comoving)
      throw Error(fmt::format("lengths are in other units than in {}", names.front()), names[n],
                  "give snapshots of one run, or its unit with --unit-length");
    const auto types = sorted(drawn_types(info, request));
    if (types != wanted)
      throw Error(
          fmt::format("the snapshots of a film have the same particle types, but this one "
                      "has {}, and {} has {}",
                      types_in_words(info, types), names.front(), types_in_words(first, wanted)),
          names[n], "draw types that all of them have: --types");
  }
}

void require_order(const std::vector<std::string>& names, const std::vector<SnapshotInfo>& infos) {
  const bool timeless = std::all_of(infos.begin(), infos.end(), [](const SnapshotInfo& info) {
    return !info.units.comoving && info.time == 0;
  });
  for (std::size_t n = 1; n < names.size() && !timeless; ++n)
    if (!(analysis::moment_of(infos[n]) > analysis::moment_of(infos[n - 1])))
      throw Error(fmt::format("this snapshot ({}) is not later than {} before it ({})",
                              analysis::moment_in_words(infos[n]), names[n - 1],
                              analysis::moment_in_words(infos[n - 1])),
                  names[n], "give the snapshots in the order of time");
}

void require_identities(const std::vector<std::string>& names,
                        const std::vector<SnapshotInfo>& infos, const std::vector<int>& types,
                        const RenderRequest& request) {
  for (std::size_t n = 0; n < names.size(); ++n)
    for (const int type : types) {
      const TypeInfo& info = infos[n].types.at(type);
      const FieldInfo* ids = info.find(Role::Id);
      if (!ids || ids->components != 1)
        throw Error(fmt::format("{} has no particle IDs, by which particles are followed from "
                                "snapshot to snapshot",
                                info.name),
                    names[n], std::string("draw whole snapshots: ") + kWholeSnapshots);
    }
  const std::string remedy =
      std::string("leave it out, or draw whole snapshots: ") + kWholeSnapshots;
  if (request.selection.samples())
    throw Error("a sample has other particles in each snapshot, which cannot be followed",
                "--every, --max-particles", remedy);
  if (request.said.replicate > 1)
    throw Error("copies of a box repeat its IDs, so that particles cannot be followed",
                "--replicate", remedy);
}

std::string lacking_for_cubics(const std::vector<std::string>& names,
                               const std::vector<SnapshotInfo>& infos,
                               const std::vector<int>& types) {
  for (std::size_t n = 0; n < names.size(); ++n) {
    const std::size_t other = n + 1 < names.size() ? n + 1 : n - 1;
    const auto seconds =
        analysis::seconds_between(infos[std::min(n, other)], infos[std::max(n, other)]);
    if (!seconds) return fmt::format("Omega_m is not in {}", names[n]);
    if (!(*seconds > 0)) return "the snapshots have no times";
    for (const int type : types)
      if (!analysis::length_per_velocity(infos[n], type, *seconds))
        return fmt::format("{} has no velocities of a known unit in {}",
                           infos[n].types.at(type).name, names[n]);
  }
  return {};
}

}  // namespace haloscope::render
