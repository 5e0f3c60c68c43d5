#include "render/film/snapshot_series.h"

#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/snapshot_interval.h"
#include "core/error.h"
#include "io/bytes/saturating.h"
#include "io/loading/load_plan.h"
#include "render/film/finished_frames.h"
#include "render/film/series_checks.h"
#include "render/scene/choose_looks.h"
#include "render/scene/set_center.h"
#include "render/scene/set_search.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace haloscope::render {

namespace {

using compute::splotch::Mode;

// n / fps and what a path makes of it differ by rounding.
constexpr double kSamePlace = 1e-9;

const char* word(InterpolationChoice choice) {
  return choice == InterpolationChoice::Cubic    ? "cubic"
         : choice == InterpolationChoice::Linear ? "linear"
                                                 : "none";
}

}  // namespace

SnapshotSeries::SnapshotSeries(const RenderRequest& request, const std::vector<std::string>& names,
                               InterpolationChoice choice, SeriesOrder order)
    : request_(request), names_(names) {
  // Opening may mean to read all of it (text): the scene does it.
  if (size() == 1) return;
  for (const auto& name : names_)
    infos_.push_back(analysis::open_snapshot(name, request_.said)->info());
  if (order == SeriesOrder::ByTime) order_sentence_ = sort_by_time(names_, infos_);
  types_ = drawn_types(infos_.front(), request_);
  require_one_run(names_, infos_, request_);
  require_order(names_, infos_);
  choose_interpolation(choice);
  if (interpolates()) require_identities(names_, infos_, types_, request_);
}

void SnapshotSeries::choose_interpolation(InterpolationChoice choice) {
  choice_ = choice;
  if (choice == InterpolationChoice::None) {
    sentence_ = "Each frame shows the nearest snapshot.";
    return;
  }
  const std::string lacking = choice == InterpolationChoice::Linear
                                  ? std::string()
                                  : lacking_for_cubics(names_, infos_, types_);
  if (choice == InterpolationChoice::Cubic && !lacking.empty())
    throw Error("cubics need velocities and times, but " + lacking, "--interpolate",
                "take --interpolate linear");
  if (choice == InterpolationChoice::Default)
    choice_ = lacking.empty() ? InterpolationChoice::Cubic : InterpolationChoice::Linear;
  sentence_ = choice_ == InterpolationChoice::Cubic
                  ? "Between snapshots particles move by cubics through positions and velocities."
                  : "Between snapshots particles move along straight lines" +
                        (lacking.empty() ? "." : ", because " + lacking + ".");
}

SeriesPlace SnapshotSeries::at(double place) const {
  const double end = double(size() - 1);
  place = std::clamp(place, 0., end);
  const double nearest = std::floor(place + 0.5);
  if (!interpolates() || std::abs(place - nearest) <= kSamePlace)
    return {std::size_t(nearest), std::size_t(nearest), 0};
  const double first = std::floor(place);
  return {std::size_t(first), std::size_t(first) + 1, place - first};
}

void SnapshotSeries::begin(const SnapshotScene& scene, std::size_t base) {
  base_ = base;
  shown_ = {base, base, 0};
  if (size() == 1) {
    infos_ = {scene.info()};
    return;
  }
  load_ = scene.load_request();
  lengths_ = scene.lengths_choice();
  for (std::size_t n = 0; n < size(); ++n) check_fields(n);
}

void SnapshotSeries::plan_interpolation(const SnapshotScene& scene) {
  how_.cubic = is_cubic();
  // Splotch's intensities cannot fade.
  const bool classic = request_.mode == Mode::Classic;
  how_.fade = !classic;
  for (std::size_t k = 0; k < scene.types().size(); ++k)
    for (const auto& type : load_.types) {
      if (type.type != scene.types()[k]) continue;
      const TypeLook& look = scene.looks()[k];
      auto& fields = how_.fields.emplace_back();
      for (const auto& name : type.fields)
        fields.push_back({name, name == look.color && !classic
                                    ? look.transform
                                    : compute::splotch::Transform::Linear});
    }
}

// Told before hours of drawing.
void SnapshotSeries::check_fields(std::size_t n) const {
  try {
    io::plan_types(infos_[n], load_request(n).load);
  } catch (const Error& error) {
    throw Error(
        fmt::format("{} lacks a field that {} has: {}", names_[n], names_[base_], error.what()));
  }
}

FilmSnapshotRequest SnapshotSeries::load_request(std::size_t n) const {
  FilmSnapshotRequest request{request_.said, load_, lengths_, interpolates()};
  if (!is_cubic()) return request;
  for (auto& type : request.load.types) {
    const std::string& velocity = infos_[n].types.at(type.type).roles.at(Role::Velocity);
    if (std::find(type.fields.begin(), type.fields.end(), velocity) == type.fields.end())
      type.fields.push_back(velocity);
  }
  return request;
}

std::uint64_t SnapshotSeries::memory() const {
  if (size() == 1 || load_.selection.region) return 0;
  std::uint64_t most = 0, before = 0;
  for (std::size_t n = 0; n < infos_.size(); ++n) {
    const io::LoadRequest load = load_request(n).load;
    const std::uint64_t columns = io::estimate_memory(infos_[n], load);
    std::uint64_t ids = 0;
    for (const auto& type : load.types) ids += infos_[n].types.at(type.type).count * sizeof(IdRow);
    // What lies between two has columns of its own.
    const std::uint64_t own =
        interpolates() ? io::saturating_sum(columns, io::saturating_sum(columns / 2, ids))
                       : columns;
    most = std::max(most, io::saturating_sum(own, interpolates() ? before : 0));
    before = own;
  }
  return most;
}

// Those that the place needs, and no other.
void SnapshotSeries::keep_only(const SeriesPlace& place) {
  for (auto one = loaded_.begin(); one != loaded_.end();)
    one = one->first == place.first || one->first == place.second ? std::next(one)
                                                                  : loaded_.erase(one);
  std::erase_if(sets_, [&](const auto& one) {
    return one.first != place.first && one.first != place.second;
  });
}

const FilmSnapshot& SnapshotSeries::load(std::size_t n, analysis::RunContext& context,
                                         Progress& progress) {
  if (const auto found = loaded_.find(n); found != loaded_.end()) return found->second;
  FilmSnapshot& snapshot =
      loaded_.emplace(n, load_film_snapshot(names_[n], load_request(n), progress)).first->second;
  // The scene has kept those of its own one.
  if (snapshot.lengths.has_unwritten() && n != base_) {
    const std::string kept = snapshot.lengths.keep(progress);
    if (!request_.quiet) context.print(kept);
  }
  return snapshot;
}

void SnapshotSeries::show(SnapshotScene& scene, double place, analysis::RunContext& context,
                          Progress& progress) {
  const SeriesPlace wanted = at(place);
  if (wanted == shown_) return;
  if (how_.fields.empty()) plan_interpolation(scene);
  for (const std::size_t n : {wanted.first, wanted.second}) {
    if (loaded_.count(n)) continue;
    keep_only(wanted);
    matched_.reset();
    matches_.clear();
    const FilmSnapshot& snapshot = load(n, context, progress);
    std::vector<int> types;
    for (const auto& columns : snapshot.particles.types) types.push_back(columns.type);
    if (types != scene.types())
      throw Error("other particle types have usable positions than in " + names_[base_], names_[n],
                  "copy the file again, or choose --types");
  }
  if (wanted.is_between()) {
    show_between(scene, wanted, progress);
  } else {
    const FilmSnapshot& one = loaded_.at(wanted.first);
    scene.show(one.particles, one.radii(), progress);
  }
  show_sets(scene, wanted, progress);
  tell_of_sets(scene, context);
  shown_ = wanted;
}

// Sets are searched where nothing can be printed, and of some snapshots twice.
void SnapshotSeries::tell_of_sets(const SnapshotScene& scene, analysis::RunContext& context) {
  for (const std::string& sentence : scene.sentences()) sets_said_.insert(sentence);
  for (const std::string& sentence : sets_to_say_)
    if (sets_said_.insert(sentence).second && !request_.quiet) context.print(sentence);
  sets_to_say_.clear();
}

ShownSets SnapshotSeries::sets_in(std::size_t n, const SnapshotScene& scene, Progress& progress) {
  const auto found = sets_.find(n);
  if (found != sets_.end()) return found->second;
  ShownSets& sets = sets_[n] = search_sets(request_, names_[n], scene.device(), set_ids_, progress);
  if (sets.members)
    sets_to_say_.insert(sets_to_say_.end(), sets.members->said.begin(), sets.members->said.end());
  return sets;
}

const std::optional<Vec>& SnapshotSeries::followed_in(std::size_t n, const SnapshotScene& scene,
                                                      Progress& progress) {
  const auto known = followed_.find(n);
  if (known != followed_.end()) return known->second;
  // Films are known frame by frame before they are drawn: who is in all of them takes no memory.
  std::erase_if(sets_, [this](const auto& one) { return loaded_.count(one.first) == 0; });
  const ShownSets sets = sets_in(n, scene, progress);
  const auto set = analysis::find_set(sets.members->sets, request_.sets->follow);
  return followed_[n] =
             set ? center_of_set(*sets.members, *set, request_.said, progress) : std::nullopt;
}

std::optional<Vec> SnapshotSeries::followed(double place, const SnapshotScene& scene,
                                            Progress& progress) {
  if (!request_.sets || request_.sets->follow.empty() || !why_no_sets(request_).empty()) return {};
  const SeriesPlace wanted = at(place);
  const auto first = followed_in(wanted.first, scene, progress);
  if (!wanted.is_between() || !first) return first;
  const auto second = followed_in(wanted.second, scene, progress);
  if (!second) return first;
  const SnapshotInfo& info = infos_[wanted.first];
  Vec center = *first;
  for (std::size_t c = 0; c < 3; ++c) {
    double way = (*second)[c] - (*first)[c];
    if (info.periodic) way -= info.box_size * std::round(way / info.box_size);
    center[c] += wanted.fraction * way;
  }
  return center;
}

// Between two snapshots a particle is in the sets of the first one, or of the second one where it
// comes from nowhere.
void SnapshotSeries::show_sets(SnapshotScene& scene, const SeriesPlace& place, Progress& progress) {
  if (!request_.sets || request_.sets->how == analysis::ShowSets::Off ||
      !why_no_sets(request_).empty())
    return;
  const auto labels_in = [&](std::size_t n) {
    const ShownSets sets = sets_in(n, scene, progress);
    SetLabels labels;
    for (const ParticleColumns& columns : loaded_.at(n).particles.types)
      labels.push_back(analysis::set_labels(*sets.members, columns.type, columns.count,
                                            columns.rejected_rows, sets.shown()));
    return labels;
  };
  SetLabels labels = labels_in(place.first);
  if (place.is_between()) labels = labels_between(labels, labels_in(place.second), matches_, how_);
  scene.show_sets(sets_in(place.first, scene, progress), labels);
}

Endpoint SnapshotSeries::endpoint(const FilmSnapshot& snapshot, std::size_t n,
                                  double seconds) const {
  Endpoint end;
  end.particles = &snapshot.particles;
  end.radii = snapshot.radii();
  for (const auto& columns : snapshot.particles.types) {
    if (!is_cubic()) break;
    end.velocity.push_back(infos_[n].types.at(columns.type).roles.at(Role::Velocity));
    end.displacement.push_back(*analysis::length_per_velocity(infos_[n], columns.type, seconds));
  }
  return end;
}

void SnapshotSeries::show_between(SnapshotScene& scene, const SeriesPlace& place,
                                  Progress& progress) {
  const FilmSnapshot &first = loaded_.at(place.first), &second = loaded_.at(place.second);
  const std::pair pair{place.first, place.second};
  if (matched_ != pair) {
    matches_ = match_particles(first.ids, second.ids);
    matched_ = pair;
  }
  require_host_memory(interpolation_memory(matches_, how_), "the particles between two snapshots");
  const double seconds =
      is_cubic() ? *analysis::seconds_between(infos_[place.first], infos_[place.second]) : 0;
  const auto between = interpolate_particles(endpoint(first, place.first, seconds),
                                             endpoint(second, place.second, seconds), matches_,
                                             how_, place.fraction);
  std::vector<const float*> radii;
  for (const auto& lengths : between.radii) radii.push_back(lengths.data());
  scene.show(between.particles, radii, progress);
}

void SnapshotSeries::describe(double place, nlohmann::json& scene) const {
  if (size() == 1) {
    scene["files"] = fingerprint(infos_.front());
    return;
  }
  const SeriesPlace shown = at(place);
  scene["limits_of"] = names_[base_];
  scene["files"] = fingerprint(infos_[base_]);
  scene["snapshot"] = {names_[shown.first]};
  scene["snapshot_files"] = {fingerprint(infos_[shown.first])};
  if (!shown.is_between()) return;
  scene["snapshot"].push_back(names_[shown.second]);
  scene["snapshot_files"].push_back(fingerprint(infos_[shown.second]));
  scene["fraction"] = shown.fraction;
  scene["interpolate"] = word(choice_);
}

std::vector<std::string> SnapshotSeries::sentences() const {
  std::vector<std::string> said;
  for (const auto& sentence : {order_sentence_, sentence_})
    if (!sentence.empty()) said.push_back(sentence);
  return said;
}

analysis::Epoch SnapshotSeries::epoch(double place) const {
  const SeriesPlace shown = at(place);
  const SnapshotInfo& first = infos_[shown.first];
  return shown.is_between() ? analysis::epoch_between(first, infos_[shown.second], shown.fraction)
                            : analysis::epoch_of(first);
}

std::string SnapshotSeries::sources(double place) const {
  const SeriesPlace shown = at(place);
  return shown.is_between() ? names_[shown.first] + ", " + names_[shown.second]
                            : names_[shown.first];
}

}  // namespace haloscope::render
