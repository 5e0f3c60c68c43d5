#include "app/viewer/snapshot_opener.h"

#include "app/viewer/scene_facts.h"

#include <chrono>
#include <cstdint>
#include <utility>

namespace haloscope::app::viewer {

using session::State;

namespace {

// Above so many particles a snapshot is given up before the next one is read, for both might not
// fit into memory. Where reading then fails, nothing is left on screen but the last picture.
constexpr std::uint64_t kTooManyForTwo = 30'000'000;

std::uint64_t particles_in(const SceneModel& model) {
  std::uint64_t particles = 0;
  for (const std::uint64_t count : model.counts) particles += count;
  return particles;
}

// Until memory is free that would be counted as taken. Not for long: on CPUs a search may go on for
// a minute after it was cancelled.
void wait_for(const std::shared_future<void>& first, Progress& progress) {
  using namespace std::chrono_literals;
  if (!first.valid()) return;
  const auto last = std::chrono::steady_clock::now() + 3s;
  while (first.wait_for(5ms) != std::future_status::ready &&
         std::chrono::steady_clock::now() < last)
    progress.report("waiting for a search to end", 0);
}

}  // namespace

SnapshotOpener::Asked SnapshotOpener::asked_by(const State& state) {
  Asked asked;
  for (const auto& [type, choice] : state.types)
    if (!choice.field.empty()) asked.types[type] = choice.field;
  asked.cells = state.map.shown && state.map.cells;
  // Of a map only what decides what is read.
  if (!state.map.shown || state.map.field.empty()) return asked;
  asked.map.shown = true;
  asked.map.type = state.map.type;
  asked.map.field = state.map.field;
  return asked;
}

// A map of what a type is colored by needs no reading.
SnapshotOpener::Fields SnapshotOpener::fields_of(const Asked& asked) const {
  Fields fields = asked.types;
  if (!asked.map.shown || !asked.map.type) return fields;
  const int type = *asked.map.type;
  const auto automatic = automatic_.find(type);
  const bool as_it_is =
      !fields.count(type) && automatic != automatic_.end() && automatic->second == asked.map.field;
  if (!as_it_is) fields[type] = asked.map.field;
  return fields;
}

void SnapshotOpener::open(render::RenderRequest request, const State& state, const State& before,
                          const std::shared_future<void>& first) {
  if (!before_) before_ = before;
  if (!has_open(state.snapshot())) automatic_.clear();
  asked_ = asked_by(state);
  request.snapshot = state.snapshot();
  request.choices.clear();
  for (const auto& [type, field] : asked_.types) request.choices[type].field = field;
  request.map = asked_.map;
  request.map.cells = asked_.cells;
  request.hidden_too = true;
  request.camera = {};
  if (scene_ && particles_in(scene_->model) > kTooManyForTwo) scene_.reset();
  task_.submit("opening",
               [request = std::move(request), first](const std::shared_ptr<Progress>& progress) {
                 wait_for(first, *progress);
                 return open_scene(request, progress);
               });
}

void SnapshotOpener::close() {
  task_.cancel();
  before_.reset();
  scene_.reset();
  facts_.reset();
}

bool SnapshotOpener::receive() {
  auto opened = task_.receive();
  if (!opened) return false;
  before_.reset();
  scene_ = std::move(*opened);
  facts_ = facts_of(scene_->model);
  open_ = asked_;
  const Fields chosen = fields_of(open_);
  for (std::size_t k = 0; k < scene_->model.types.size(); ++k)
    if (!chosen.count(scene_->model.types[k]))
      automatic_[scene_->model.types[k]] = scene_->model.looks[k].color;
  return true;
}

std::optional<State> SnapshotOpener::take_failed() {
  if (!before_ || task_.busy()) return {};
  asked_ = open_;
  if (!scene_) facts_.reset();
  return std::exchange(before_, {});
}

bool SnapshotOpener::has_field(const State& state, int type) const {
  const Fields open = fields_of(open_), wanted = fields_of(asked_by(state));
  const auto a = open.find(type), b = wanted.find(type);
  return (a == open.end() ? "" : a->second) == (b == wanted.end() ? "" : b->second);
}

bool SnapshotOpener::has_map(const State& state) const {
  const render::MapLook& map = state.map;
  if (map.shown && map.cells && !open_.cells) return false;
  if (!map.shown || map.field.empty() || !map.type) return true;
  return has_field(state, *map.type);
}

bool SnapshotOpener::needs_fields(const State& state) const {
  const Asked wanted = asked_by(state);
  return scene_ && !busy() &&
         (fields_of(wanted) != fields_of(asked_) || (wanted.cells && !asked_.cells));
}

State SnapshotOpener::with_open_fields(State state) const {
  for (auto& [type, choice] : state.types) {
    const auto open = open_.types.find(type);
    choice.field = open == open_.types.end() ? "" : open->second;
  }
  state.map.cells = state.map.cells && open_.cells;
  // Light, or a surface density, needs no field; a mean is that which is open.
  if (open_.map.shown) {
    state.map.shown = true;
    state.map.type = open_.map.type;
    state.map.field = open_.map.field;
  } else if (state.map.shown && !state.map.field.empty()) {
    state.map.field.clear();
  }
  return state;
}

void take_back_opening(const State& before, State& state) {
  state.snapshots = before.snapshots;
  state.current = before.current;
  state.types = before.types;
  state.selection = before.selection;
  state.sets = before.sets;
  state.show_sets = before.show_sets;
  state.follow = before.follow;
  state.slab = before.slab;
  state.map = before.map;
  state.ruler = before.ruler;
  state.profile = before.profile;
  state.phase = before.phase;
  state.compared = before.compared;
  for (auto& [finder, finding] : state.findings) {
    finding.searched = before.finding(finder).searched;
    finding.selected = before.finding(finder).selected;
  }
  if (!state.camera) state.camera = before.camera;
}

}  // namespace haloscope::app::viewer
