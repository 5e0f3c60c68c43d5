#pragma once

#include "app/session/state.h"
#include "app/viewer/tasks/draw_job.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace haloscope::app::viewer {

// The picture in the window: asks for a new one when what is to be seen has changed, coarse ones
// while it goes on changing and one in full when it rests.
class LivePicture {
 public:
  // What decides the pixels, exposure apart.
  struct Wanted {
    session::Camera camera;
    int width = 0, height = 0;
    std::map<int, session::TypeState> types;
    analysis::ParticleColors colors;  // in place of each type's own
    bool operator==(const Wanted&) const = default;
  };
  // What is on screen. Its light is given to the screen once and not kept here.
  struct Shown {
    session::Camera camera;
    Coarseness coarseness;
    double milliseconds = 0;
    compute::splotch::Counts counts;
    render::ToneCurve curve;
    bool has_light = false;
  };

  // `wake` and `failed` are called from the drawing thread.
  LivePicture(std::function<void()> wake, std::function<void(const std::string&)> failed)
      : failed_(std::move(failed)), drawer_(std::move(wake)) {}

  // Ends the drawing.
  void stop() { drawer_.stop(); }
  // The last picture stays until one of the new scene has come, also where there is none yet.
  void set_scene(std::shared_ptr<OpenScene> scene);
  // No scene, and no picture.
  void clear();
  // Whether pictures that a GPU draws shall stay on it.
  void keep_on_device(bool on) { drawer_.keep_on_device(on); }
  // Call once per frame. `patient`: nobody watches it move, so in full at once.
  void want(const Wanted& wanted, double now, bool patient);
  // Takes the newest picture that was finished; its light, once.
  std::optional<Light> receive();
  const std::optional<Shown>& shown() const { return shown_; }
  // Whether what was wanted last was drawn in full and received, or cannot be drawn.
  bool complete() const;
  // When want() must be called again though nothing changes; nothing: never.
  std::optional<double> refine_at() const;

 private:
  void ask(bool moving);

  std::function<void(const std::string&)> failed_;
  std::shared_ptr<OpenScene> scene_;
  std::optional<Wanted> wanted_;
  double changed_at_ = 0;
  bool asked_in_full_ = false;
  std::uint64_t complete_serial_ = 0;  // of the request in full of wanted_; 0: none yet
  bool busy_ = false;
  std::optional<Shown> shown_;
  Drawer drawer_;
};

}  // namespace haloscope::app::viewer
