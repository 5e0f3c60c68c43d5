#pragma once

#include "app/session/command_table.h"
#include "app/viewer/overlays/picture_mouse.h"
#include "app/viewer/panels/panel_input.h"
#include "tests/app/viewer/dry_ui.h"
#include "tests/app/viewer/scene.h"

#include <string>
#include <vector>

namespace haloscope::test {

// A mouse over the picture of a box of gas and dark matter, and the commands that come of it.
class PictureHand {
 public:
  PictureHand(float width, float height) : ui_(width, height) {
    state.camera = app::session::Camera{true, {50, 50, 50}, 200, {}, 40, 100};
  }
  virtual ~PictureHand() = default;

  app::session::State state;
  app::viewer::PanelMemory memory;
  std::vector<std::string> emitted;
  int centered = 0;  // how often what lies under the mouse was to come to the middle

 protected:
  app::viewer::PanelInput input() {
    return {
        state, &scene_, nullptr, nullptr, {}, log_, memory, {}, [this](const std::string& line) {
          app::session::parse_command(line);  // throws for what is none
          emitted.push_back(line);
          obey(line);
        }};
  }
  void read(const app::viewer::PanelInput& input, const app::viewer::PictureArea& area,
            double seconds) {
    read_mouse(input, area, now_ += seconds, mouse_,
               {[this](double, double) { ++centered; }, [](double, double) {}});
  }

 private:
  // What a command changes, as far as the window's next frame needs it.
  virtual void obey(const std::string&) {}

  DryUi ui_;
  app::viewer::SceneModel scene_ = box_model();
  app::viewer::MouseMemory mouse_;
  std::vector<app::viewer::LogLine> log_;
  double now_ = 1;
};

}  // namespace haloscope::test
