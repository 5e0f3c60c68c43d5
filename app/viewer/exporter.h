#pragma once

#include "analysis/catalogs/compared_findings.h"
#include "analysis/particle_colors.h"
#include "analysis/plot.h"
#include "analysis/snapshot/snapshot_interval.h"
#include "app/session/session_actions.h"
#include "app/viewer/tasks/scene_job.h"
#include "app/viewer/tasks/task.h"
#include "core/image.h"
#include "render/scene/slice_picture.h"

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// Asks for the overlays of a picture, as a layer with transparency (premultiplied RGBA), or for a
// plot with its ground. Only the thread that owns OpenGL can draw them.
struct OverlayOrder {
  std::shared_ptr<OpenScene> scene;
  std::shared_ptr<const analysis::Finding> finding;  // that is circled; null: none
  session::State state;
  session::Camera camera;
  int width = 0, height = 0;
  std::optional<analysis::Epoch> epoch;  // none: the scene's own
  std::promise<Image8> layer;
  std::shared_ptr<const analysis::Plot> plot = {};  // null: overlays
  analysis::ParticleColors colors = {};
  render::ShownSlice slice = {};                                    // of which the color bar tells
  std::shared_ptr<const analysis::ComparedFindings> compared = {};  // null: nothing is
  compute::splotch::Ranging map = {};  // scale and limits of a map, where the state says none
};

// The findings that a picture shows.
struct ShownFindings {
  std::shared_ptr<const analysis::Finding> circled;  // null: none
  analysis::ParticleColors colors;
  render::ShownSlice slice = {};
  render::ShownSets sets = {};
  // Who is in the sets is not known yet: it is looked for before the picture is drawn.
  std::optional<analysis::SetsRequest> sought = {};
  std::shared_ptr<const analysis::ComparedFindings> compared = {};  // null: nothing is
};

// The picture on a transparent ground: what is black is not there (RGBA, not premultiplied).
Image8 on_transparent_ground(const Image8& picture);

// Writes stills, films and catalogs on a thread of its own, one at a time. It takes turns with the
// window to draw the scene that is open.
class Exporter final : public TaskBase {
 public:
  using Say = std::function<void(const std::string&)>;
  // With a sentence about what was written, and the file's name; no name: it was stopped midway.
  using Done = std::function<void(const std::string& deed, const std::string& path)>;
  // `wake`, `say` and `done` are called from any thread, `failed` by receive().
  Exporter(std::function<void()> wake, Say say, Done done, Say failed);

  // These throw Error at once where the output cannot be written or another export is under way.
  // `scene` must have been opened; the camera is that of `state`.
  void still(std::shared_ptr<OpenScene> scene, const ShownFindings& shown,
             const session::State& state, const session::StillRequest& request);
  // The same picture as the bytes of a PNG, handed over from the thread.
  void picture(std::shared_ptr<OpenScene> scene, const ShownFindings& shown,
               const session::State& state, const session::StillRequest& request,
               std::function<void(std::string png)> take);
  // Reads the snapshots anew, as `haloscope movie` does, so that both give the same bytes.
  void film(std::shared_ptr<OpenScene> scene, const ShownFindings& shown,
            const render::RenderRequest& base, const session::State& state,
            const session::FilmRequest& request);
  // The window with its panels, which the loop draws when the picture is complete.
  void window_shot(const std::string& path, bool overwrite);
  // The extension decides: numbers (.csv), lines and letters (.svg) or pixels (.png). `table`: the
  // numbers, in place of those that are seen; empty: these.
  void plot(std::shared_ptr<const analysis::Plot> plot, const std::string& path, bool overwrite,
            std::string table = {});
  // `work` writes `path`.
  void file(const std::string& path, std::function<void(Progress&)> work);

  // Tells the fault of what could not be written.
  void receive() { task_.receive(); }
  bool busy() const override { return task_.busy() || !shots_.empty(); }
  Worker::Status status() const override { return task_.status(); }
  void cancel() override;
  void wait() override { task_.wait(); }

  // For the thread that owns OpenGL.
  bool wants_screen() const;
  std::optional<OverlayOrder> take_order();
  const std::vector<std::string>& window_shots() const { return shots_; }
  // Writes the first of them; throws Error where that fails.
  void finish_window_shot(const Image8& window);
  // The first of them is done, or cannot be written.
  void drop_window_shot() { shots_.erase(shots_.begin()); }

 private:
  struct Still;
  struct Drawn;
  void require_idle() const;
  static Drawn draw(Still still, Progress& progress);
  Image8 display(const Still& still, const Drawn& drawn, const Progress& progress);
  void submit(const std::string& name, std::function<void(Progress&)> work);
  Image8 order_layer(OverlayOrder order, const Progress& progress);

  std::function<void()> wake_;
  Say say_;
  Done done_;
  std::vector<std::string> shots_;
  mutable std::mutex orders_mutex_;
  std::vector<OverlayOrder> orders_;
  Task<void> task_;  // last: ends first
};

}  // namespace haloscope::app::viewer
