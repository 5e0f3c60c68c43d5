#include "app/session/command_table.h"
#include "app/viewer/panels/timeline.h"
#include "app/viewer/plots/limits_plot.h"
#include "tests/app/viewer/dry_ui.h"
#include "tests/app/viewer/scene.h"
#include "tests/catch.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

// Limits on their histogram and keys on their line of time, dragged with a mouse.

namespace haloscope::app::viewer {

namespace {

using compute::splotch::Ranging;
using compute::splotch::Transform;

constexpr float kWidth = 420;

// One part of a panel in a window of its own, and a mouse.
class Part {
 public:
  explicit Part(std::function<void(const PanelInput&)> show) : show_(std::move(show)) {
    state.camera = session::Camera{true, {50, 50, 50}, 200, {}, 40, 100};
  }

  session::State state;
  PanelMemory memory;
  std::vector<std::string> emitted;

  void drag(float from, float to, float y) {
    frame(from, y, false);
    frame(from, y, true);
    for (const float part : {0.25f, 0.5f, 1.f}) frame(from + part * (to - from), y, true);
    frame(to, y, false);
    frame(to, y, false);
  }

 private:
  void frame(float x, float y, bool down) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = ImVec2(x, y);
    io.MouseDown[ImGuiMouseButton_Left] = down;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2(kWidth, 300));
    ImGui::Begin("part", nullptr, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove);
    const PanelInput input{
        state, &scene_, nullptr, nullptr, {}, log_, memory, {}, [this](const std::string& line) {
          session::parse_command(line);  // throws for what is none
          emitted.push_back(line);
        }};
    show_(input);
    ImGui::End();
    ImGui::Render();
  }

  test::DryUi ui_{kWidth, 300};
  std::function<void(const PanelInput&)> show_;
  SceneModel scene_ = test::box_model();
  std::vector<LogLine> log_;
};

double number_behind(const std::string& words, const std::string& line) {
  REQUIRE(line.starts_with(words));
  return std::stod(line.substr(words.size()));
}

// Ten thousand values, even in their logarithm, from 1e3 to 1e7.
analysis::FieldHistograms even_decades() {
  std::vector<float> values;
  for (int k = 0; k < 10000; ++k) values.push_back(float(std::pow(10., 3 + 4. * k / 9999)));
  return analysis::count_values(values.data(), values.size());
}

}  // namespace

TEST_CASE("a limit is taken by its handle and dragged", "[window]") {
  const PlotLine line{3, 7, 100, 200};
  CHECK(line.x_of(5) == Approx(200));
  CHECK(line.value_at(line.x_of(4.25)) == Approx(4.25));
  CHECK(line.x_of(99) == 300);
  const Ranging color{Transform::Log, 4, 6};
  CHECK(limit_at(line, color, 110) == 0);
  CHECK(limit_at(line, color, 260) == 1);
  // Where both stand at an end, the one that can move away.
  CHECK(limit_at(line, {Transform::Log, 1, 2}, 100) == 1);
  CHECK(limit_at(line, {Transform::Log, 8, 9}, 300) == 0);
  CHECK(dragged_limits(line, Transform::Log, {1e4, 1e6}, 0, 200) == "1e+05 1000000");
  CHECK(dragged_limits(line, Transform::Log, {1e4, 1e6}, 1, 200) == "10000 1e+05");
  CHECK(dragged_limits(line, Transform::Log, {1e4, 1e5}, 0, 280).empty());
  CHECK(dragged_limits({-1, 1, 0, 200}, Transform::Linear, {-1, 1}, 0, 100) == "0 1");
}

TEST_CASE("dragging a handle of the histogram asks for those limits", "[window]") {
  const analysis::FieldHistograms values = even_decades();
  const Ranging color{Transform::Log, 4, 6};
  Part part([&](const PanelInput& input) {
    show_limits_plot(input, "gas", values, color, {1e4, 1e6}, {{0, 0, 0}, {1, 1, 1}});
  });
  part.drag(30, 30, 40);
  CHECK(part.emitted.empty());
  part.drag(30, 60, 40);
  REQUIRE(part.emitted.size() == 3);
  for (const std::string& line : part.emitted) {
    CHECK(line.starts_with("limits gas "));
    CHECK(line.ends_with(" 1000000"));
  }
  part.emitted.clear();
  // The panel is narrower by its items' width: at two thirds the upper limit is nearer.
  part.drag(220, 200, 40);
  REQUIRE_FALSE(part.emitted.empty());
  CHECK(part.emitted.back().starts_with("limits gas 10000 "));
}

TEST_CASE("times of the path's line are read with the digits of a pixel", "[window]") {
  std::vector<session::KeyState> path(3);
  path[1].seconds = 1;
  path[2].seconds = 4;
  const PlotLine line = line_of(path, 10, 400);
  CHECK(line.low == 0);
  CHECK(line.high == Approx(4.6));
  CHECK(time_at(line, line.x_of(1)) == "1.00");
  CHECK(time_at(line, 9999) == "4.60");
  CHECK(*key_under(line, path, line.x_of(1) + 3, 7) == 1);
  CHECK_FALSE(key_under(line, path, line.x_of(1) + 20, 7));
  // One key alone can be dragged all the same.
  CHECK(line_of({session::KeyState()}, 0, 100).high > 1);
}

TEST_CASE("a key is clicked or dragged, and a press beside it moves the play head", "[window]") {
  Part part(show_timeline);
  for (const double seconds : {0., 1., 4.}) {
    session::KeyState key;
    key.camera = *part.state.camera;
    key.seconds = seconds;
    part.state.path.push_back(key);
  }
  // As show_timeline lays it out in this window: padding 8, edge 8.
  const PlotLine line = line_of(part.state.path, 16, kWidth - 32);
  const float key = line.x_of(1);
  part.drag(key, key, 20);
  CHECK(part.emitted == std::vector<std::string>{"go_to_key 2"});
  part.emitted.clear();
  // One command at the end: on its way a key passes the times of others.
  part.drag(key + 2, line.x_of(2), 20);
  REQUIRE(part.emitted.size() == 1);
  CHECK(number_behind("move_key 2 ", part.emitted.front()) == Approx(2).margin(0.02));
  part.emitted.clear();
  part.drag(line.x_of(2), line.x_of(3), 20);
  REQUIRE(part.emitted.size() >= 3);
  CHECK(number_behind("go_to_time ", part.emitted.back()) == Approx(3).margin(0.02));
  CHECK(*part.memory.play_head == Approx(3).margin(0.02));
}

}  // namespace haloscope::app::viewer
