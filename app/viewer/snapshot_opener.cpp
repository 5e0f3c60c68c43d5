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

SnapshotOpener::Fields SnapshotOpener::fields_of(const State& state) {
  Fields fields;
  for (const auto& [type, choice] : state.types)
    if (!choice.field.empty()) fields[type] = choice.field;
  return fields;
}

void SnapshotOpener::open(render::RenderRequest request, const State& state, const State& before,
                          const std::shared_future<void>& first) {
  if (!before_) before_ = before;
  asked_fields_ = fields_of(state);
  request.snapshot = state.snapshot();
  request.choices.clear();
  for (const auto& [type, field] : asked_fields_) request.choices[type].field = field;
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
  open_fields_ = asked_fields_;
  return true;
}

std::optional<State> SnapshotOpener::take_failed() {
  if (!before_ || task_.busy()) return {};
  asked_fields_ = open_fields_;
  if (!scene_) facts_.reset();
  return std::exchange(before_, {});
}

bool SnapshotOpener::has_field(const State& state, int type) const {
  const auto open = open_fields_.find(type);
  return state.type(type).field == (open == open_fields_.end() ? "" : open->second);
}

bool SnapshotOpener::needs_fields(const State& state) const {
  return scene_ && !busy() && fields_of(state) != asked_fields_;
}

State SnapshotOpener::with_open_fields(State state) const {
  for (auto& [type, choice] : state.types) {
    const auto open = open_fields_.find(type);
    choice.field = open == open_fields_.end() ? "" : open->second;
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
