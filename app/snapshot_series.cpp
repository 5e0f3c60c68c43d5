#include "app/snapshot_series.h"

#include "app/choose_types.h"
#include "app/film_frames.h"
#include "app/open_snapshot.h"
#include "app/snapshot_interval.h"
#include "core/error.h"
#include "io/loading/load_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace haloscope::app {

namespace {

using compute::splotch::Mode;

// n / fps and what a path makes of it differ by rounding.
constexpr double kSamePlace = 1e-9;
// Relative difference of boxes that are the same.
constexpr double kSameBox = 1e-6;
constexpr const char* kWholeSnapshots = "--interpolate none";

bool differ(double a, double b) {
  return std::abs(a - b) > kSameBox * std::max(std::abs(a), std::abs(b));
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

const char* word(InterpolationChoice choice) {
  return choice == InterpolationChoice::Cubic    ? "cubic"
         : choice == InterpolationChoice::Linear ? "linear"
                                                 : "none";
}

}  // namespace

SnapshotSeries::SnapshotSeries(const RenderRequest& request, const std::vector<std::string>& names,
                               InterpolationChoice choice)
    : request_(request), names_(names) {
  for (const auto& name : names_) infos_.push_back(open_snapshot(name, request_.said)->info());
  types_ = choose_types(infos_.front(), request_.types);
  if (size() == 1) return;
  check_alike();
  check_order();
  choose_interpolation(choice);
  if (interpolates()) check_identities();
}

void SnapshotSeries::check_alike() const {
  const SnapshotInfo& first = infos_.front();
  for (std::size_t n = 1; n < size(); ++n) {
    const SnapshotInfo& info = infos_[n];
    bool other_box = info.periodic != first.periodic;
    if (first.periodic) {
      other_box = other_box || differ(info.box_size, first.box_size);
      for (std::size_t c = 0; c < 3; ++c)
        other_box = other_box ||
                    std::abs(info.box_origin[c] - first.box_origin[c]) > kSameBox * first.box_size;
    }
    if (other_box)
      throw Error(fmt::format("the snapshots of a film have one box, but this one has {}, and {} "
                              "has {}",
                              box_in_words(info), names_.front(), box_in_words(first)),
                  names_[n], "give snapshots of one run");
    if (differ(info.units.length_cm, first.units.length_cm) ||
        info.units.per_h != first.units.per_h || info.units.comoving != first.units.comoving)
      throw Error(fmt::format("lengths are in other units than in {}", names_.front()), names_[n],
                  "give snapshots of one run, or its unit with --unit-length");
    const auto types = choose_types(info, request_.types);
    if (sorted(types) != sorted(types_))
      throw Error(
          fmt::format("the snapshots of a film have the same particle types, but this one "
                      "has {}, and {} has {}",
                      types_in_words(info, types), names_.front(), types_in_words(first, types_)),
          names_[n], "draw types that all of them have: --types");
  }
}

// Tables without times are taken as they come.
void SnapshotSeries::check_order() const {
  const bool timeless = std::all_of(infos_.begin(), infos_.end(), [](const SnapshotInfo& info) {
    return !info.units.comoving && info.time == 0;
  });
  for (std::size_t n = 1; n < size() && !timeless; ++n)
    if (!(moment_of(infos_[n]) > moment_of(infos_[n - 1])))
      throw Error(
          fmt::format("this snapshot ({}) is not later than {} before it ({})",
                      moment_in_words(infos_[n]), names_[n - 1], moment_in_words(infos_[n - 1])),
          names_[n], "give the snapshots in the order of time");
}

void SnapshotSeries::check_identities() const {
  for (std::size_t n = 0; n < size(); ++n)
    for (const int type : types_) {
      const TypeInfo& info = infos_[n].types.at(type);
      const FieldInfo* ids = info.find(Role::Id);
      if (!ids || ids->components != 1)
        throw Error(fmt::format("{} has no particle IDs, by which particles are followed from "
                                "snapshot to snapshot",
                                info.name),
                    names_[n], std::string("draw whole snapshots: ") + kWholeSnapshots);
    }
  const std::string remedy =
      std::string("leave it out, or draw whole snapshots: ") + kWholeSnapshots;
  if (request_.selection.samples())
    throw Error("a sample has other particles in each snapshot, which cannot be followed",
                "--every, --max-particles", remedy);
  if (request_.said.replicate > 1)
    throw Error("copies of a box repeat its IDs, so that particles cannot be followed",
                "--replicate", remedy);
}

// Why there are no cubics; empty where there are.
std::string SnapshotSeries::no_velocities() const {
  for (std::size_t n = 0; n < size(); ++n) {
    const std::size_t other = n + 1 < size() ? n + 1 : n - 1;
    const auto seconds = seconds_between(infos_[std::min(n, other)], infos_[std::max(n, other)]);
    if (!seconds) return fmt::format("Omega_m is not in {}", names_[n]);
    if (!(*seconds > 0)) return "the snapshots have no times";
    for (const int type : types_)
      if (!length_per_velocity(infos_[n], type, *seconds))
        return fmt::format("{} has no velocities of a known unit in {}",
                           infos_[n].types.at(type).name, names_[n]);
  }
  return {};
}

void SnapshotSeries::choose_interpolation(InterpolationChoice choice) {
  choice_ = choice;
  if (choice == InterpolationChoice::None) {
    sentence_ = "Each frame shows the nearest snapshot.";
    return;
  }
  const std::string lacking =
      choice == InterpolationChoice::Linear ? std::string() : no_velocities();
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
  if (size() == 1) return;
  load_ = scene.load_request();
  lengths_ = scene.lengths_choice();
  how_.cubic = is_cubic();
  // Splotch's intensities cannot fade.
  const bool classic = request_.mode == Mode::Classic;
  how_.fade = !classic;
  how_.fields.clear();
  for (std::size_t k = 0; k < scene.types().size(); ++k)
    for (const auto& type : load_.types) {
      if (type.type != scene.types()[k]) continue;
      const render::TypeLook& look = scene.looks()[k];
      auto& fields = how_.fields.emplace_back();
      for (const auto& name : type.fields)
        fields.push_back({name, name == look.color && !classic
                                    ? look.transform
                                    : compute::splotch::Transform::Linear});
    }
  for (std::size_t n = 0; n < size(); ++n) check_fields(n);
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

// Those that the place needs, and no other.
void SnapshotSeries::keep_only(const SeriesPlace& place) {
  for (auto one = loaded_.begin(); one != loaded_.end();)
    one = one->first == place.first || one->first == place.second ? std::next(one)
                                                                  : loaded_.erase(one);
}

const FilmSnapshot& SnapshotSeries::load(std::size_t n, RunContext& context, Progress& progress) {
  if (const auto found = loaded_.find(n); found != loaded_.end()) return found->second;
  FilmSnapshot& snapshot =
      loaded_.emplace(n, load_film_snapshot(names_[n], load_request(n), progress)).first->second;
  // The scene has kept those of the first one.
  if (snapshot.lengths.has_unwritten() && n != base_) {
    const std::string kept = snapshot.lengths.keep(progress);
    if (!request_.quiet) context.print(kept);
  }
  return snapshot;
}

void SnapshotSeries::show(SnapshotScene& scene, double place, RunContext& context,
                          Progress& progress) {
  const SeriesPlace wanted = at(place);
  if (wanted == shown_) return;
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
  shown_ = wanted;
}

render::Endpoint SnapshotSeries::endpoint(const FilmSnapshot& snapshot, std::size_t n,
                                          double seconds) const {
  render::Endpoint end;
  end.particles = &snapshot.particles;
  end.radii = snapshot.radii();
  for (const auto& columns : snapshot.particles.types) {
    if (!is_cubic()) break;
    end.velocity.push_back(infos_[n].types.at(columns.type).roles.at(Role::Velocity));
    end.displacement.push_back(*length_per_velocity(infos_[n], columns.type, seconds));
  }
  return end;
}

void SnapshotSeries::show_between(SnapshotScene& scene, const SeriesPlace& place,
                                  Progress& progress) {
  const FilmSnapshot &first = loaded_.at(place.first), &second = loaded_.at(place.second);
  const std::pair pair{place.first, place.second};
  if (matched_ != pair) {
    matches_ = render::match_particles(first.ids, second.ids);
    matched_ = pair;
  }
  require_host_memory(render::interpolation_memory(matches_, how_),
                      "the particles between two snapshots");
  const double seconds =
      is_cubic() ? *seconds_between(infos_[place.first], infos_[place.second]) : 0;
  const auto between = render::interpolate_particles(endpoint(first, place.first, seconds),
                                                     endpoint(second, place.second, seconds),
                                                     matches_, how_, place.fraction);
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

std::string SnapshotSeries::sources(double place) const {
  const SeriesPlace shown = at(place);
  return shown.is_between() ? names_[shown.first] + ", " + names_[shown.second]
                            : names_[shown.first];
}

}  // namespace haloscope::app
