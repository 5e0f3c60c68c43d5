#include "app/viewer/panels/job_bar.h"

#include "app/viewer/frame/frame.h"
#include "app/viewer/loops.h"
#include "app/viewer/panels/ui_frame.h"
#include "render/files/png_file.h"
#include "render/gl/gl_objects.h"
#include "tests/app/viewer/hand.h"
#include "tests/app/viewer/window_context.h"
#include "tests/catch.h"
#include "tests/test_paths.h"

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

// Bars of jobs that cannot tell how far they are.

namespace haloscope::app::viewer {

namespace {

// Where the corners of what is drawn lie.
std::vector<std::pair<float, float>> corners() {
  std::vector<std::pair<float, float>> all;
  const ImDrawData* const data = ImGui::GetDrawData();
  for (int k = 0; k < data->CmdListsCount; ++k)
    for (const ImDrawVert& vertex : data->CmdLists[k]->VtxBuffer)
      all.emplace_back(vertex.pos.x, vertex.pos.y);
  return all;
}

}  // namespace

TEST_CASE("stripes move while a job has not said how far it is, and only then", "[window]") {
  Worker::Status job{true, "finding halos", "", 0};
  test::Hand hand([&](const PanelInput& input) {
    input.memory.stripes_move = false;
    PanelInput with = input;
    with.jobs[session::JobKind::Find] = job;
    show_job_bar(with, session::JobKind::Find);
  });
  const auto moves = [&] {
    hand.rest(1);
    const auto before = corners();
    hand.rest(1);
    return corners() != before;
  };
  CHECK(moves());
  CHECK(hand.memory.stripes_move);
  job.phase = "neighbor tree";
  CHECK(moves());
  job.fraction = 0.25;
  hand.rest(1);
  CHECK_FALSE(moves());
  CHECK_FALSE(hand.memory.stripes_move);
  job = {};
  hand.rest(1);
  CHECK_FALSE(moves());
  CHECK_FALSE(hand.memory.stripes_move);
}

TEST_CASE("a bar shortens the name of what it writes, not how far it is", "[window]") {
  const test::DryUi ui(1920, 100);
  const Worker::Status job{true, "writing frames/of/a/long/folder/%05d.png",
                           "frame 12 of 2400, 3 min left", 0.1};
  std::string wide, some, little, none;
  float wanted = 0;
  ImGui::NewFrame();
  const float phase = ImGui::CalcTextSize(job.phase.c_str()).x;
  RunningJobs jobs;
  jobs[session::JobKind::Export] = job;
  wanted = width_of_jobs(jobs, 10);
  wide = job_words(job, wanted - 80);
  some = job_words(job, phase + 120);
  little = job_words(job, phase + 20);
  none = job_words(job, phase / 2);
  ImGui::Render();
  CHECK(wide == job.name + ": " + job.phase);
  CHECK(wanted < 0.4f * 1920);
  CHECK(some.starts_with("writing "));
  CHECK(some.ends_with("\u2026: " + job.phase));
  CHECK(little == job.phase);
  CHECK(none.starts_with("frame 12"));
}

TEST_CASE("a bar with stripes is seen beside one that is filled", "[window]") {
  const auto context = test::gl_context();
  if (!context) return;
  const render::gl::Framebuffer target(640, 60);
  UiFrame frame(nullptr, 1);
  session::State state;
  PanelMemory memory;
  const std::vector<LogLine> log;
  const auto draw = [&](double fraction) {
    for (int k = 0; k < 3; ++k) {
      target.bind();
      target.clear();
      frame.begin(640, 60, 1.0 / 60);
      PanelInput input{state, nullptr, nullptr, nullptr, {}, log, memory, {}, {}};
      input.jobs[session::JobKind::Find] = {true, "finding halos", "neighbor tree", fraction};
      input.jobs[session::JobKind::Export] = {true, "writing still.png", "drawing", 0.6};
      show_status_line(input, {0, 20, 640, 24});
      frame.end();
    }
    return render::gl::read_pixels(640, 60);
  };
  // As the theme has ImGuiCol_PlotHistogram, over the frame's ground.
  const auto striped = [](const Image8& image) {
    std::size_t count = 0;
    for (std::size_t p = 0; p < image.pixels.size(); p += 3)
      count += image.pixels[p + 2] > 100 && image.pixels[p + 2] < 140;
    return count;
  };
  const Image8 waits = draw(0), works = draw(0.3);
  CHECK(striped(waits) > striped(works) + 1000);
  CHECK(context->faults().count == 0);
  if (const char* folder = std::getenv("HALOSCOPE_TEST_PICTURES"))
    render::write_png(std::string(folder) + "/stripes.png", waits);
}

TEST_CASE("stripes keep the window awake no longer than their job", "[window]") {
  render::RenderRequest base;
  base.compute.device = "cpu";
  Doorbell bell;
  Viewer viewer(base, [&bell] { bell.ring(); });
  viewer.set_picture_size(64, 48);
  double now = 1;
  const auto settle = [&] {
    for (int k = 0; k < 1200 && !viewer.settled(); ++k) {
      bell.wait(std::chrono::milliseconds(50));
      viewer.update(now += 0.01);
    }
    REQUIRE(viewer.settled());
    // Until the picture needs no refining.
    viewer.update(now += 10);
  };
  const auto due = [&] {
    viewer.panel_input(1).memory.stripes_move = true;
    return viewer.wake_at();
  };
  viewer.push("open " + test::sample_file());
  viewer.update(now += 0.01);
  REQUIRE(due());
  CHECK(*due() > now);
  CHECK(*due() < now + 0.2);
  settle();
  CHECK_FALSE(due());
  // Where nobody draws bars, nobody wakes.
  viewer.push("find_halos");
  viewer.update(now += 0.01);
  viewer.panel_input(1);
  CHECK(viewer.wake_at().value_or(now + 1) >= now + 0.2);
  viewer.stop();
}

}  // namespace haloscope::app::viewer
