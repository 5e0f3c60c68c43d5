#pragma once

#include "analysis/run_context.h"
#include "analysis/snapshot/snapshot_interval.h"
#include "core/snapshot_info.h"
#include "render/film/film_snapshot.h"
#include "render/film/interpolate_particles.h"
#include "render/scene/render_request.h"
#include "render/scene/snapshot_scene.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::render {

// How particles move between two snapshots. Default: by cubics where all types have velocities in
// all snapshots, else along straight lines. None: the nearest snapshot is shown.
enum class InterpolationChoice { Default, None, Linear, Cubic };

// A place in a series: a snapshot, or a fraction of the way from one to the next.
struct SeriesPlace {
  std::size_t first = 0, second = 0;
  double fraction = 0;

  bool is_between() const { return first != second; }
  bool operator==(const SeriesPlace&) const = default;
};

// In which order the snapshots of a series are shown: that of time, whatever the order of their
// names, or the given one, which must then be that of time.
enum class SeriesOrder { ByTime, AsGiven };

// Several snapshots of one run in the order of time, and the particles at any place among them. A
// series of one snapshot is that snapshot.
//
// At most two snapshots are in memory, and what lies between them.
class SnapshotSeries {
 public:
  // Opens several, without their particles, as `request` says. Throws Error for snapshots that
  // differ in box, units or types, that have the same time, or are not in its order where that is
  // not to be changed, and, where they are to be interpolated, that have no IDs or are not read
  // whole.
  SnapshotSeries(const RenderRequest& request, const std::vector<std::string>& names,
                 InterpolationChoice choice, SeriesOrder order);

  std::size_t size() const { return names_.size(); }
  // Of a series of one, only after begin().
  const std::vector<SnapshotInfo>& infos() const { return infos_; }
  // 2.5 is half-way from snapshot 2 to 3; whole places are met within rounding.
  SeriesPlace at(double place) const;
  // The snapshot that a film of which this is the latest place takes its limits from.
  std::size_t base(double place) const { return at(place).second; }

  // `scene` is of the snapshot `base`, and needs not be loaded yet. Throws Error where another
  // snapshot lacks a field that it reads.
  void begin(const SnapshotScene& scene, std::size_t base);
  // Host memory that two snapshots with what lies between them take, or one that is shown, at most;
  // after begin(). 0: of a series of one, whose particles the scene reads alone, and of a region.
  std::uint64_t memory() const;
  // Makes the scene, which is loaded, show a place.
  void show(SnapshotScene& scene, double place, analysis::RunContext& context, Progress& progress);

  // Replaces in a scene's description what one snapshot is by what is shown.
  void describe(double place, nlohmann::json& scene) const;
  // The middle of the set that the request follows; nothing where it follows none, or nobody is in
  // it. Between two snapshots it goes straight. Throws as center_of_set.
  std::optional<Vec> followed(double place, const SnapshotScene& scene, Progress& progress);
  // Takes what another rank was told by that of a snapshot.
  void know_followed(std::size_t n, const std::optional<Vec>& middle) { followed_[n] = middle; }
  // When a place is.
  analysis::Epoch epoch(double place) const;
  // The files that a place is made of: "a.hdf5, b.hdf5".
  std::string sources(double place) const;
  // The snapshots in the order in which they are shown.
  const std::vector<std::string>& names() const { return names_; }
  // Which order they have and how particles move between them; none for one snapshot.
  std::vector<std::string> sentences() const;

 private:
  void check_fields(std::size_t n) const;
  void plan_interpolation(const SnapshotScene& scene);
  void choose_interpolation(InterpolationChoice choice);
  bool interpolates() const { return choice_ != InterpolationChoice::None && size() > 1; }
  bool is_cubic() const { return choice_ == InterpolationChoice::Cubic && size() > 1; }
  const FilmSnapshot& load(std::size_t n, analysis::RunContext& context, Progress& progress);
  FilmSnapshotRequest load_request(std::size_t n) const;
  void keep_only(const SeriesPlace& place);
  Endpoint endpoint(const FilmSnapshot& snapshot, std::size_t n, double seconds) const;
  void show_sets(SnapshotScene& scene, const SeriesPlace& place, Progress& progress);
  // What the scene says of its own snapshot is not said again.
  void tell_of_sets(const SnapshotScene& scene, analysis::RunContext& context);
  const std::optional<Vec>& followed_in(std::size_t n, const SnapshotScene& scene,
                                        Progress& progress);
  ShownSets sets_in(std::size_t n, const SnapshotScene& scene, Progress& progress);
  void show_between(SnapshotScene& scene, const SeriesPlace& place, Progress& progress);

  RenderRequest request_;
  std::vector<std::string> names_;
  std::vector<SnapshotInfo> infos_;
  std::vector<int> types_;
  InterpolationChoice choice_ = InterpolationChoice::None;
  std::string order_sentence_, sentence_;
  io::LoadRequest load_;             // of the scene
  analysis::LengthsChoice lengths_;  // of the scene
  Interpolation how_;
  std::size_t base_ = 0;
  SeriesPlace shown_;
  std::map<std::size_t, FilmSnapshot> loaded_;
  std::optional<std::pair<std::size_t, std::size_t>> matched_;
  std::vector<TypeMatch> matches_;
  analysis::KnownIds set_ids_;
  std::map<std::size_t, ShownSets> sets_;  // of what is loaded, or about to be
  std::set<std::string> sets_said_;        // sentences about them that were printed,
  std::vector<std::string> sets_to_say_;   // and those that were not
  std::map<std::size_t, std::optional<Vec>> followed_;
};

}  // namespace haloscope::render
