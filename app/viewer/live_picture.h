#pragma once

#include "app/session/state.h"
#include "app/viewer/frame_log.h"
#include "app/viewer/picture_facts.h"
#include "app/viewer/tasks/draw_job.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace haloscope::app::viewer {

// The picture in the window. Asks for a new one when what is to be seen has changed: coarse ones
// while it goes on changing, and one in full when it rests. Its light waits for the screen.
class LivePicture final : public TaskBase {
 public:
  // What decides the pixels, exposure apart.
  struct Wanted {
    session::Camera camera;
    int width = 0, height = 0;
    std::map<int, session::TypeState> types;
    analysis::ParticleColors colors;  // in place of each type's own
    render::SlabChoice slab = {};
    render::ShownSets sets = {};
    render::MapLook map = {};  // what it is of: the look's color is the screen's
    bool operator==(const Wanted&) const = default;
  };

  // `wake` is called from the drawing thread, `failed` by want() and receive().
  LivePicture(std::function<void()> wake, const std::function<void(const std::string&)>& failed)
      : failed_(failed), drawer_(std::move(wake), failed) {}

  // The last picture stays until one of the new scene has come, also where there is none yet.
  void set_scene(std::shared_ptr<OpenScene> scene);
  // No scene, and no picture.
  void clear();
  // Whether pictures that a GPU draws shall stay on it.
  void keep_on_device(bool on) { drawer_.keep_on_device(on); }
  // Call once per frame. `patient`: nobody watches it move, so in full at once.
  void want(const Wanted& wanted, double now, bool patient);
  // Takes over the newest picture that was finished.
  void receive();
  // The light of the picture that was received since the last call.
  std::optional<Light> take_light() { return std::exchange(light_, {}); }
  // Of the picture on screen, with the tone curve that suits it; nothing: there is none yet.
  const std::optional<PictureFacts>& shown() const { return shown_; }
  // The number of the picture on screen where it is that of what was wanted last, in full.
  std::optional<std::uint64_t> complete() const;
  // When want() must be called again though nothing changes; nothing: never.
  std::optional<double> refine_at() const;
  // What was received last is on screen.
  void note_frame(double now);
  const FrameLog& frame_log() const { return frame_log_; }
  FrameLog& frame_log() { return frame_log_; }

  // Whether what was wanted last is still to come: drawn in full, or found impossible to draw.
  bool busy() const override;
  // Whether that has been asked for, as the picture rests.
  bool draws_in_full() const { return busy() && asked_in_full_; }
  Worker::Status status() const override { return drawer_.status(); }
  void cancel() override { drawer_.cancel(); }
  void wait() override { drawer_.wait(); }

 private:
  void ask(Pace pace);

  std::function<void(const std::string&)> failed_;
  std::shared_ptr<OpenScene> scene_;
  std::optional<Wanted> wanted_;
  double changed_at_ = 0;
  bool asked_in_full_ = false;
  // Of the picture in full of what is wanted, asked for or there; 0: none yet.
  std::uint64_t complete_serial_ = 0;
  std::uint64_t shown_serial_ = 0;  // of the picture that was received last
  bool shown_at_rest_ = false;      // that one was asked for when nothing changed
  Timings shown_phases_;            // of its drawing
  bool busy_ = false;
  std::optional<PictureFacts> shown_;
  std::optional<Light> light_;
  // The map that was last drawn in full, and the scale and limits that suit it: coarse ones of the
  // same have them too, so that colors do not flicker while the camera moves.
  render::MapLook map_in_full_;
  compute::splotch::Ranging color_in_full_;
  bool new_picture_ = false;  // that is not on screen yet
  FrameLog frame_log_;
  Drawer drawer_;  // last: ends first
};

}  // namespace haloscope::app::viewer
