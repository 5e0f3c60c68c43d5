#pragma once

#include "app/session/session_actions.h"
#include "app/session/state.h"
#include "app/viewer/tasks/scene_job.h"
#include "app/viewer/tasks/task.h"
#include "render/scene/render_request.h"

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace haloscope::app::viewer {

// The snapshot that is open, and the opening of the next one, or of the same one with other fields.
// What is open stays open until the next one is there, unless both might not fit into memory.
class SnapshotOpener final : public TaskBase {
 public:
  // `wake` is called from the reading thread, `failed` by receive().
  SnapshotOpener(std::function<void()> wake, std::function<void(const std::string&)> failed)
      : task_(std::move(wake), std::move(failed)) {}

  // Reads the snapshot of a state, with the fields by which its particles are colored. `request`:
  // all that a state does not say. `before`: the state to go back to where it cannot be read.
  // Reading begins when `first`, if it is valid, has come, or after a few seconds.
  void open(render::RenderRequest request, const session::State& state,
            const session::State& before, const std::shared_future<void>& first = {});
  // Nothing is open or being opened any more.
  void close();
  // Takes over what was read; true: another snapshot, or other fields, are open since.
  bool receive();
  // Once, where reading has failed or was cancelled: the state to go back to.
  std::optional<session::State> take_failed();

  // Null: nothing is open.
  const std::shared_ptr<OpenScene>& scene() const { return scene_; }
  const SceneModel* model() const { return scene_ ? &scene_->model : nullptr; }
  bool has_open(const std::string& snapshot) const {
    return scene_ && scene_->model.path == snapshot;
  }
  // Of the snapshot that was opened last, also where it was given up for the next one.
  const session::SceneFacts* facts() const { return facts_ ? &*facts_ : nullptr; }
  // Whether a type's color in a state is the one that was read.
  bool has_field(const session::State& state, int type) const;
  // Whether the mean that a state's map shows, if it shows one, is that which was read.
  bool has_map(const session::State& state) const;
  // Whether a state needs other fields than those that were asked for.
  bool needs_fields(const session::State& state) const;
  // A state with the fields that are open in place of its own.
  session::State with_open_fields(session::State state) const;

  // An opening has begun, and its end was not taken over yet.
  bool opening() const { return before_.has_value(); }
  bool busy() const override { return task_.busy() || opening(); }
  Worker::Status status() const override { return task_.status(); }
  void cancel() override { task_.cancel(); }
  void wait() override { task_.wait(); }

 private:
  using Fields = std::map<int, std::string>;  // by type
  // What a state asks to be read.
  struct Asked {
    Fields types;         // the fields that it chooses
    render::MapLook map;  // whose mean is read in place of its type's color
    bool cells = false;   // of gas are kept for maps
  };
  static Asked asked_by(const session::State& state);
  // The color of each type that was chosen.
  Fields fields_of(const Asked& asked) const;

  std::shared_ptr<OpenScene> scene_;
  std::optional<session::SceneFacts> facts_;
  Asked open_, asked_;
  Fields automatic_;  // the program's own choice for the types that had it, once it is known
  std::optional<session::State> before_;
  Task<std::shared_ptr<OpenScene>> task_;  // last: ends first
};

// What an opening had changed in a state is as it was before; what the user did meanwhile stays.
void take_back_opening(const session::State& before, session::State& state);

}  // namespace haloscope::app::viewer
