#pragma once

#include "app/session/camera.h"
#include "app/viewer/tasks/coarseness.h"
#include "app/viewer/tasks/scene_job.h"
#include "app/viewer/tasks/task.h"
#include "core/image.h"
#include "core/timings.h"
#include "render/colors/tone_map.h"
#include "render/scene/map_picture.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace haloscope::app::viewer {

// What decides the pixels of a picture, exposure apart.
struct DrawRequest {
  session::Camera camera;
  int width = 0, height = 0;
  Looks looks;
};

// A picture of linear light, where it was drawn: on the GPU, or else on the host.
struct Light {
  ImageF host;
  std::shared_ptr<const compute::splotch::DeviceImage> device;
};

// How long a picture may take.
enum class Pace {
  full,       // no limit
  moving,     // as long as a display shows it: another will follow soon
  recolored,  // less: it is the first one in other colors, and coloring takes time too
};

// A picture, and what it is a picture of.
struct Drawn {
  Light light;
  std::shared_ptr<const render::MapPicture> map;  // in place of light; null: none
  render::MapLook map_look;
  bool has_light = false;   // whether any pixel received some
  render::ToneCurve curve;  // that suits it
  session::Camera camera;
  int width = 0, height = 0;  // that were asked for; the picture has 1/divisor of each
  Coarseness coarseness;
  Pace pace = Pace::full;  // that it was asked for at
  double milliseconds = 0;
  Timings phases;            // of it; "light": what the tone curve took
  std::uint64_t serial = 0;  // of the request
  compute::splotch::Counts counts;
};

// Draws pictures on a thread of its own: coarse ones that fit a budget while something changes,
// then one in full. Used from the user interface's thread; no call waits but wait().
class Drawer {
 public:
  // `failed` is called by take(), for each picture that failed.
  Drawer(std::function<void()> wake, std::function<void(const std::string&)> failed)
      : task_(std::move(wake), std::move(failed)) {}

  // Pictures of this scene from now on.
  void set_scene(std::shared_ptr<OpenScene> scene);
  // Whether pictures that a GPU draws shall stay on it.
  void keep_on_device(bool on) { keep_on_device_ = on; }
  // Asks for a picture. Of those that wait only the latest is drawn; one in full that is under way
  // is cancelled, a coarse one is finished.
  void draw(DrawRequest request, Pace pace);
  // The newest picture, once.
  std::optional<Drawn> take() { return task_.receive(); }
  // Of the thread alone: a picture may still wait to be taken.
  Worker::Status status() const { return task_.status(); }
  void cancel() { task_.cancel(); }
  void wait() { task_.wait(); }
  std::uint64_t serial() const { return serial_; }  // of the last request

 private:
  std::shared_ptr<OpenScene> scene_;
  // Of that scene; read and taught on the drawing thread.
  std::shared_ptr<Coarsening> coarsening_;
  std::uint64_t serial_ = 0;
  bool keep_on_device_ = false;
  Task<Drawn> task_;  // last: ends first
};

}  // namespace haloscope::app::viewer
