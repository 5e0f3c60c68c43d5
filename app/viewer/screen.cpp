#include "app/viewer/screen.h"

#include "app/viewer/frame/frame.h"
#include "app/viewer/overlays/path_line.h"
#include "app/viewer/panels/panels.h"
#include "app/viewer/plots/plot_view.h"
#include "core/error.h"
#include "render/colors/layers.h"
#include "render/gl/gl_objects.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <imgui.h>
#include <string>
#include <utility>

namespace haloscope::app::viewer {

namespace {

// Dear ImGui lays out in one frame what it shows in the next.
constexpr int kFramesToSettle = 3;
constexpr double kFrame = 1.0 / 60;  // s

float scale(const Viewer& viewer) {
  return viewer.content_scale() * float(viewer.state().ui_scale);
}

}  // namespace

PictureArea Screen::picture_area(const Viewer& viewer, int width, int height) {
  return arrange(viewer.state().layout, float(width), float(height), scale(viewer)).picture;
}

// Letters of another size are another set of letters.
void Screen::prepare(Viewer& viewer) {
  if (ui_ && made_for_ == scale(viewer)) return;
  ui_.reset();
  made_for_ = scale(viewer);
  ui_ = std::make_unique<UiFrame>(window_, made_for_);
}

// Once there is a renderer on a GPU: a session without one must not wake the driver.
void Screen::try_interop(Viewer& viewer) {
  if (interop_tried_ || !viewer.device().is_gpu()) return;
  interop_tried_ = true;
  std::string why;
  interop_ = render::gl::make_interop(viewer.device(), why);
  viewer.keep_on_device(interop_ != nullptr);
  viewer.say(interop_ ? "pictures stay on the GPU"
                      : "pictures reach the window through the host: " + why);
}

void Screen::take_light(Viewer& viewer) {
  try_interop(viewer);
  const auto light = viewer.take_light();
  if (!light) return;
  if (light->device && interop_) {
    try {
      return interop_->show(*light->device, picture_);
    } catch (const Error& error) {
      interop_.reset();
      viewer.keep_on_device(false);
      viewer.say(std::string("pictures reach the window through the host: ") + error.what());
    }
  }
  if (interop_) interop_->release();
  try {
    picture_.upload(light->device ? light->device->to_host() : light->host);
  } catch (const Error& error) {
    // A GPU that was lost, or a window larger than OpenGL's textures: the last picture stays.
    viewer.fail(error.what());
  }
}

void Screen::draw_picture(Viewer& viewer, const PictureArea& area, int height) {
  if (!viewer.has_picture() || (picture_.empty() && !viewer.map())) return;
  // The viewport counts from below.
  const render::gl::Viewport to{int(area.x), height - int(area.y + area.height), int(area.width),
                                int(area.height)};
  if (viewer.map())
    draw_map(viewer, to);
  else
    picture_.draw(to, viewer.curve(), viewer.exposure(), viewer.state().tone.gamma,
                  viewer.state().tone.white_ground);
  draw_slice(viewer, to);
}

// The bytes of a still: no tone curve and no filter lies between them and the screen.
void Screen::draw_map(Viewer& viewer, const render::gl::Viewport& to) {
  if (to.width < 1 || to.height < 1) return;
  const std::string palette = render::palette_of(viewer.state().map);
  const compute::splotch::Ranging color = viewer.map_color();
  const auto same = [](const compute::splotch::Ranging& a, const compute::splotch::Ranging& b) {
    return a.transform == b.transform && a.low == b.low && a.high == b.high;
  };
  if (!map_) map_ = std::make_unique<MapLayer>();
  const bool white = viewer.state().tone.white_ground;
  if (map_->map != viewer.map() || map_->palette != palette || !same(map_->color, color) ||
      map_->white_ground != white) {
    try {
      map_->layer.upload(
          render::opaque(render::colored_map(viewer.map()->values, palette, color, white)));
    } catch (const Error& error) {
      // A palette file that is gone, told once.
      if (map_->palette != palette) viewer.fail(error.what());
    }
    map_->map = viewer.map();
    map_->palette = palette;
    map_->color = color;
    map_->white_ground = white;
  }
  map_->layer.draw(to);
}

// By the camera of the picture on screen, not of the one to come: it stays where its particles are.
void Screen::draw_slice(Viewer& viewer, const render::gl::Viewport& to) {
  const render::ShownSlice slice = viewer.slice();
  if (!slice || to.width < 1 || to.height < 1) return slice_.reset();
  const session::Camera& camera = viewer.shown_camera();
  if (!slice_) slice_ = std::make_unique<SliceLayer>();
  if (!(slice_->slice == slice) || slice_->camera != camera || slice_->width != to.width ||
      slice_->height != to.height) {
    try {
      slice_->layer.upload(
          render::slice_layer(slice, session::to_view(camera, to.width, to.height)));
    } catch (const Error& error) {
      // A palette file that is gone, told once: nothing lies over the picture then.
      slice_->layer.upload(Image8(1, 1, 4));
      if (slice_->slice.choice != slice.choice) viewer.fail(error.what());
    }
    slice_->slice = slice;
    slice_->camera = camera;
    slice_->width = to.width;
    slice_->height = to.height;
  }
  slice_->layer.draw(to);
}

void Screen::build(Viewer& viewer, int width, int height, double now) {
  const auto input = viewer.panel_input(scale(viewer));
  const float w = float(width), h = float(height);
  const FrameParts parts = arrange(viewer.state().layout, w, h, scale(viewer));
  const PictureArea& area = parts.picture;
  read_mouse(input, area, now, mouse_,
             {[&](double x, double y) {
                viewer.center_on({x, y});
              },
              [&](double x, double y) {
                viewer.select_seen({x, y});
              },
              [&](session::PicturePoint from, session::PicturePoint to) {
                viewer.measure_seen(from, to);
              }});
  const float covered = parts.inspector_covers ? parts.inspector.width : 0;
  draw_overlays(input, area, covered);
  draw_path_time(input, area);
  if (const auto at = pointed_at(area))
    draw_cursor_line(input, area, viewer.under_cursor(*at), covered);
  if (input.scene) input.memory.page_waits = false;
  if (!input.scene && (!input.jobs[session::JobKind::Open].busy || input.memory.page_waits))
    show_start_page(input, area.x + area.width / 2, area.y + area.height / 2);
  show_frame(input, w, h);
  show_key_sheet(input, w, h);
  show_settings(input, w, h);
  show_command_line(input, viewer.scene(), w, h);
}

void Screen::draw(Viewer& viewer, int width, int height, double now, double seconds) {
  prepare(viewer);
  take_light(viewer);
  draw_picture(viewer, picture_area(viewer, width, height), height);
  ui_->begin(width, height, seconds);
  build(viewer, width, height, now);
  viewer.set_held(ImGui::IsAnyMouseDown());
  ui_->end();
}

Image8 Screen::window_shot(Viewer& viewer, int width, int height) {
  const render::gl::Framebuffer target(width, height);
  MouseMemory nobody;
  std::swap(nobody, mouse_);
  // Nobody types here either.
  auto& typing = viewer.panel_input(scale(viewer)).memory.typing;
  const auto typed = std::exchange(typing, {});
  auto& wanted_limits = viewer.panel_input(scale(viewer)).memory.wanted_limits;
  const auto wanted = std::exchange(wanted_limits, {});
  // A context of its own: the picture must not show where the mouse happens to be.
  UiFrame ui(nullptr, scale(viewer));
  take_light(viewer);
  for (int k = 0; k < kFramesToSettle; ++k) {
    target.bind();
    target.clear();
    draw_picture(viewer, picture_area(viewer, width, height), height);
    ui.begin(width, height, kFrame);
    build(viewer, width, height, 0);
    ui.end();
  }
  std::swap(nobody, mouse_);
  typing = typed;
  wanted_limits = wanted;
  return render::gl::read_pixels(width, height);
}

Image8 Screen::layer(const OverlayOrder& order) {
  return layers_.draw({order.scene->model, order.finding, order.state, order.camera, order.width,
                       order.height, order.epoch, order.colors, order.slice, order.compared,
                       order.map});
}

// As in an SVG file of the size of a plot on paper.
Image8 Screen::plot(const OverlayOrder& order) {
  const double scale = order.width / render::kPaperWidth;
  const render::gl::Framebuffer target(order.width, order.height);
  UiFrame& ui = layers_.ui(float(scale));
  target.bind();
  target.clear();
  ui.begin(order.width, order.height, kFrame);
  draw_paper_plot(*order.plot, scale, double(order.width), double(order.height));
  ui.end();
  return render::gl::read_pixels(order.width, order.height);
}

void Screen::serve(Viewer& viewer, int width, int height, const PictureArea& drawn) {
  while (auto order = viewer.exporter().take_order()) {
    try {
      order->layer.set_value(order->plot ? plot(*order) : layer(*order));
    } catch (...) {
      // The export that waits for it tells the user.
      order->layer.set_exception(std::current_exception());
    }
  }
  // Commands may just have changed the size: then the picture of that size comes first.
  const bool fits = viewer.state().width == width && viewer.state().height == height &&
                    picture_area(viewer, width, height) == drawn;
  while (fits && !viewer.exporter().window_shots().empty() && viewer.settled()) {
    try {
      viewer.exporter().finish_window_shot(window_shot(viewer, width, height));
    } catch (const Error& error) {
      viewer.exporter().drop_window_shot();
      viewer.fail(error.what());
    }
  }
}

}  // namespace haloscope::app::viewer
