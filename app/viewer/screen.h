#pragma once

#include "app/viewer/overlays/overlay_layer.h"
#include "app/viewer/overlays/overlays.h"
#include "app/viewer/overlays/picture_mouse.h"
#include "app/viewer/panels/ui_frame.h"
#include "app/viewer/viewer.h"
#include "render/gl/gl_layer.h"
#include "render/gl/gl_picture.h"
#include "render/gl/interop.h"

#include <memory>
#include <string>

struct GLFWwindow;

namespace haloscope::app::viewer {

// Draws a session with OpenGL and Dear ImGui: the picture, overlays and panels, on the window or
// into pictures of it. Needs a current context and belongs to its thread.
class Screen {
 public:
  // `window` null: there is none.
  explicit Screen(GLFWwindow* window) : window_(window) {}

  // The part of a window of that size that is the picture's.
  static PictureArea picture_area(const Viewer& viewer, int width, int height);
  // One frame of the window into the framebuffer that is bound; reads the mouse. `seconds`: since
  // the last one.
  void draw(Viewer& viewer, int width, int height, double now, double seconds);
  // Draws what exports wait for. `width`, `height`: of the window; `drawn`: the part of it that the
  // viewer was last told to fill.
  void serve(Viewer& viewer, int width, int height, const PictureArea& drawn);
  // For what GLFW tells of the window; null before the first frame.
  UiFrame* ui() { return ui_.get(); }
  // Whether mouse or keys will do something without another event.
  bool waits() const { return mouse_.waits() || (ui_ && ui_->has_events()); }
  // Whether pictures reach OpenGL without leaving the GPU that draws them.
  bool uses_interop() const { return interop_ != nullptr; }

 private:
  void prepare(Viewer& viewer);
  void try_interop(Viewer& viewer);
  void take_light(Viewer& viewer);
  void build(Viewer& viewer, int width, int height, double now);
  void draw_picture(Viewer& viewer, const PictureArea& area, int height);
  void draw_map(Viewer& viewer, const render::gl::Viewport& to);
  void draw_slice(Viewer& viewer, const render::gl::Viewport& to);
  Image8 window_shot(Viewer& viewer, int width, int height);
  Image8 layer(const OverlayOrder& order);
  Image8 plot(const OverlayOrder& order);

  GLFWwindow* window_;
  float made_for_ = 0;  // scale of ui_
  std::unique_ptr<UiFrame> ui_;
  OverlayLayers layers_;
  render::gl::Picture picture_;
  // The slice over it, made again when what it is of changes.
  struct SliceLayer {
    render::gl::Layer layer;
    render::ShownSlice slice;
    session::Camera camera;
    int width = 0, height = 0;
  };
  std::unique_ptr<SliceLayer> slice_;
  // The map in place of light, colored again when its colors change.
  struct MapLayer {
    render::gl::Layer layer;
    std::shared_ptr<const render::MapPicture> map;
    std::string palette;
    compute::splotch::Ranging color;
    bool white_ground = false;
  };
  std::unique_ptr<MapLayer> map_;
  std::unique_ptr<render::gl::Interop> interop_;  // ends before the picture
  bool interop_tried_ = false;
  MouseMemory mouse_;
};

}  // namespace haloscope::app::viewer
