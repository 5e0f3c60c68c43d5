#include "analysis/halos/mass_function_plot.h"
#include "app/viewer/frame/frame.h"
#include "app/viewer/overlays/overlays.h"
#include "app/viewer/overlays/scale_bar.h"
#include "app/viewer/panels/ui_frame.h"
#include "render/files/png_file.h"
#include "render/gl/gl_objects.h"
#include "render/plots/log_marks.h"
#include "tests/app/viewer/scene.h"
#include "tests/app/viewer/window_context.h"
#include "tests/catch.h"
#include "tests/made/size.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <imgui.h>
#include <vector>

namespace haloscope::app::viewer {

namespace {

// Everything that a window needs, drawn without a display.
struct Stage {
  SceneModel scene = test::box_model();
  analysis::Finding halos = test::many_halos(100000);
  session::State state;
  PictureFacts picture;
  std::vector<LogLine> log{{false, "opened snap_099.hdf5"}, {true, "3 particles were wrapped"}};
  PanelMemory memory;
  std::vector<std::string> emitted;

  Stage() {
    state.camera = session::Camera{true, {50, 50, 50}, 200, {}, 40, 100};
    state.overlays.box = state.overlays.axes = true;
    state.finding("halos").selected = 3;
    picture.camera = *state.camera;
    picture.counts.particles = 221184;
  }

  Image8 draw(int width, int height, float scale) {
    const render::gl::Framebuffer target(width, height);
    UiFrame frame(nullptr, scale);
    // Dear ImGui lays out windows in the first frame and shows them in the
    // second.
    for (int k = 0; k < 3; ++k) {
      target.bind();
      target.clear();
      frame.begin(width, height, 1.0 / 60);
      const PanelInput input{
          state,    &scene, &halos,
          &picture, {},     log,
          memory,   {},     [this](const std::string& text) { emitted.push_back(text); },
          scale};
      draw_overlays(input, arrange(state.layout, float(width), float(height), scale).picture);
      show_frame(input, float(width), float(height));
      frame.end();
    }
    return render::gl::read_pixels(width, height);
  }
};

std::size_t lit(const Image8& image) {
  return std::size_t(std::count_if(image.pixels.begin(), image.pixels.end(),
                                   [](std::uint8_t value) { return value > 100; }));
}

}  // namespace

TEST_CASE("panels and overlays are drawn without a display, at any size and scale", "[window]") {
  const auto context = test::gl_context();
  if (!context) return;
  Stage stage;
  const Image8 usual = stage.draw(1280, 800, 1);
  CHECK(lit(usual) > 5000);
  const Image8 large = stage.draw(3840, 2160, 2.5f);
  CHECK(lit(large) > 2 * lit(usual));
  CHECK_NOTHROW(stage.draw(1, 1, 1));
  stage.state.layout.shelf_open = true;
  stage.state.layout.pinned = session::InspectorPage::Film;
  for (const auto& [word, page] : session::kInspectorPages)
    for (const auto& [name, tab] : session::kShelfTabs) {
      // Each page and each tab, not each pair: neither knows of the other.
      if (page != session::kInspectorPages[0].second && tab != session::kShelfTabs[0].second)
        continue;
      stage.state.layout.page = page;
      stage.state.layout.tab = tab;
      CHECK(lit(stage.draw(1280, 720, 1)) > 5000);
      CHECK_NOTHROW(stage.draw(40, 30, 2));
    }
  CHECK(context->faults().count == 0);
  // Nobody touched anything: nothing may be asked for.
  CHECK(stage.emitted.empty());
  if (const char* folder = std::getenv("HALOSCOPE_TEST_PICTURES")) {
    render::write_png(std::string(folder) + "/panels.png", usual);
    render::write_png(std::string(folder) + "/panels_large.png", large);
  }
}

TEST_CASE("every mass function is drawn: none, one halo, equal masses, many", "[window]") {
  const auto context = test::gl_context();
  if (!context) return;
  Stage stage;
  stage.state.layout.shelf_open = true;
  stage.state.layout.tab = session::ShelfTab::Plots;
  stage.state.layout.shelf_height = 0.4;
  stage.state.finding("halos").color_particles = true;
  const std::vector<std::vector<double>> sets{
      {}, {3e12}, std::vector<double>(500, 1e12), {1e8, 1e9, 1e15}};
  std::vector<std::size_t> light;
  for (const auto& masses : sets) {
    auto function = analysis::bin_masses(masses, 1e6, 0.2);
    function.least_mass = masses.empty() ? 0 : 1e9;
    stage.halos.plots = {analysis::mass_function_plot(function, 32, {})};
    light.push_back(lit(stage.draw(1280, 1000, 1)));
  }
  CHECK(context->faults().count == 0);
  CHECK(stage.emitted.empty());
  for (std::size_t k = 1; k < light.size(); ++k) CHECK(light[k] > light[0] + 300);
}

TEST_CASE("a color's values are drawn as bars, faint beyond the limits", "[window]") {
  const auto context = test::gl_context();
  if (!context) return;
  Stage stage;
  stage.memory.open["file"] = false;
  stage.memory.open_types[0] = true;
  std::vector<float> values;
  for (int k = 0; k < 10000; ++k) values.push_back(float(std::pow(10., 3 + 4. * k / 9999)));
  stage.scene.histograms = {analysis::count_values(values.data(), values.size()), {}};
  const auto bright = [&](double low, double high) {
    stage.state.types[0].limits = session::Limits{low, high};
    const Image8 image = stage.draw(1280, 800, 1);
    if (const char* folder = std::getenv("HALOSCOPE_TEST_PICTURES"))
      render::write_png(std::string(folder) + "/limits.png", image);
    std::size_t count = 0;
    for (std::size_t p = 0; p < image.pixels.size(); p += 3) {
      // As the theme has ImGuiCol_PlotHistogram.
      const auto near = [&](std::size_t c, double part) {
        return std::abs(image.pixels[p + c] - 255 * part) < 2;
      };
      count += near(0, 0.33) && near(1, 0.57) && near(2, 0.85);
    }
    return double(count);
  };
  const double all = bright(1e3, 1e7), half = bright(1e4, 1e6);
  CHECK(all > 200 * 40);
  CHECK(half == Approx(all / 2).epsilon(0.05));
}

TEST_CASE("a logarithmic axis has marks at powers of ten, and between them where few are seen",
          "[window]") {
  const auto words = [](double low, double high, int most) {
    std::string all;
    for (const render::Mark& mark : render::log_marks(low, high, most)) all += mark.words + " ";
    return all;
  };
  CHECK(words(9.5, 13.2, 8) == "1e10 1e11 1e12 1e13 ");
  CHECK(words(11.9, 13.05, 8) == "1e12 2e12 5e12 1e13 ");
  CHECK(words(-4.2, 4.2, 4) == "1e-3 1e0 1e3 ");
  CHECK(words(-0.9, 0.1, 1) == "1e0 ");
  CHECK(render::log_marks(-300, 300, 6).size() <= 7);
}

TEST_CASE("peaks are small crosses, halos are circles", "[window]") {
  Stage stage;
  std::vector<LogLine> log;
  stage.halos = test::many_halos(1000);
  for (auto& place : stage.halos.places) place.radius = 30;
  const PanelInput input{stage.state, &stage.scene, &stage.halos, &stage.picture,           {},
                         log,         stage.memory, {},           [](const std::string&) {}};
  const PictureArea area{0, 0, 900, 700};
  stage.halos.places[3].assumed = true;
  bool dashed = false;
  for (const PieceCircle& circle : piece_circles(input, area)) {
    CHECK_FALSE(circle.cross);
    CHECK(circle.dashed == (circle.number == 3));
    dashed = dashed || circle.dashed;
  }
  CHECK(dashed);
  stage.halos.finder = "peaks";
  stage.state.finding("peaks").selected = 5;
  const auto crosses = piece_circles(input, area);
  REQUIRE(crosses.size() > 100);
  for (const PieceCircle& cross : crosses) {
    CHECK(cross.cross);
    CHECK(cross.radius < 10);
  }
  CHECK(crosses.back().number == 5);
  CHECK(crosses.back().radius > crosses.front().radius);
  CHECK(piece_under(input, area, crosses.back().x, crosses.back().y));
  // Far away only the main ones are marked, and all of them.
  for (auto& place : stage.halos.places) place.radius = 0.01;
  CHECK(piece_circles(input, area).size() == 200);
}

TEST_CASE("of a slab only the pieces in it are circled, and the selected one", "[window]") {
  Stage stage;
  std::vector<LogLine> log;
  stage.halos = test::many_halos(5);
  stage.state.finding(stage.halos.finder).selected.reset();
  const double side = stage.scene.info.box_size;
  REQUIRE(stage.scene.info.periodic);
  // In tenths of the box along z.
  const std::array<double, 5> heights{0.5, 2, 5, 8, 9.5};
  for (std::size_t k = 0; k < heights.size(); ++k)
    stage.halos.places[k] = {{side / 2, side / 2, side * heights[k] / 10}, side / 20};
  stage.picture.camera = {false, {side / 2, side / 2, side / 2}, 2 * side, {}, 40, 2 * side};
  const PanelInput input{stage.state, &stage.scene, &stage.halos, &stage.picture,           {},
                         log,         stage.memory, {},           [](const std::string&) {}};
  const auto circled = [&] {
    std::vector<std::uint64_t> numbers;
    for (const PieceCircle& circle : piece_circles(input, {0, 0, 900, 700}))
      numbers.push_back(circle.number);
    return numbers;
  };
  using Numbers = std::vector<std::uint64_t>;
  CHECK(circled() == Numbers{0, 1, 2, 3, 4});
  stage.state.slab.axis = 2;
  stage.state.slab.low = side / 10, stage.state.slab.high = 0.6 * side;
  CHECK(circled() == Numbers{1, 2});
  // Over the edge of the box.
  stage.state.slab.low = 0.9 * side, stage.state.slab.high = 0.3 * side;
  CHECK(circled() == Numbers{0, 1, 4});
  stage.state.slab = {};
  stage.state.slab.thickness = 0.5 * side;  // the camera looks along z
  CHECK(circled() == Numbers{2});
  stage.state.slab.thickness = 0.7 * side;
  CHECK(circled() == Numbers{1, 2, 3});
  stage.state.finding(stage.halos.finder).selected = 0;
  CHECK(circled() == Numbers{1, 2, 3, 0});
}

TEST_CASE("pieces in a rectangle of a plot are framed, also beyond the main ones", "[window]") {
  Stage stage;
  std::vector<LogLine> log;
  stage.halos = test::many_halos(1000);
  for (auto& place : stage.halos.places) place.radius = 0.01;
  stage.halos.finder = "peaks";
  const std::vector<std::uint64_t> brushed{3, 700, 2000};
  PanelInput input{stage.state, &stage.scene, &stage.halos, &stage.picture,           {},
                   log,         stage.memory, {},           [](const std::string&) {}};
  input.brushed = &brushed;
  const auto framed = [&] {
    std::vector<std::uint64_t> numbers;
    for (const PieceCircle& circle : piece_circles(input, {0, 0, 900, 700}))
      if (circle.framed) numbers.push_back(circle.number);
    return numbers;
  };
  CHECK(framed() == std::vector<std::uint64_t>{3, 700});
  CHECK(piece_circles(input, {0, 0, 900, 700}).size() == 201);
  // The selected one is drawn last, and framed all the same.
  stage.state.finding("peaks").selected = 3;
  CHECK(framed() == std::vector<std::uint64_t>{700, 3});
  CHECK(ordered_pieces(stage.halos, {}, false, 0, &brushed) == std::vector<std::uint32_t>{3, 700});
}

TEST_CASE("legends have a ground that dims what lies below them", "[window]") {
  const auto context = test::gl_context();
  if (!context) return;
  Stage stage;
  constexpr int kSide = 600;
  const render::gl::Framebuffer target(kSide, kSide);
  UiFrame frame(nullptr, 1);
  target.bind();
  target.clear();
  frame.begin(kSide, kSide, 1.0 / 60);
  ImGui::GetBackgroundDrawList()->AddRectFilled(ImVec2(0, 0), ImVec2(kSide, kSide),
                                                IM_COL32(255, 255, 255, 255));
  stage.state.overlays.box = stage.state.overlays.axes = stage.state.overlays.pieces = false;
  const PanelInput input{stage.state, &stage.scene, &stage.halos, &stage.picture,           {},
                         stage.log,   stage.memory, {},           [](const std::string&) {}};
  draw_overlays(input, {0, 0, kSide, kSide});
  frame.end();
  const Image8 image = render::gl::read_pixels(kSide, kSide);
  const auto light = [&](int x, int y) {
    return int(image.pixels[3 * (std::size_t(y) * kSide + std::size_t(x))]);
  };
  CHECK(light(kSide / 2, kSide / 2) == 255);
  // Beside the letters of the color bars, the scale bar and the redshift.
  for (const auto& [x, y] : {std::array{11, 60}, {11, kSide - 20}, {kSide - 11, 20}}) {
    INFO(x << " " << y);
    CHECK(light(x, y) < 150);
    CHECK(light(x, y) > 50);
  }
}

TEST_CASE("a scale bar has 1, 2 or 5 of a power of ten", "[window]") {
  CHECK(round_length(1) == 1);
  CHECK(round_length(1.99) == 1);
  CHECK(round_length(4.9) == 2);
  CHECK(round_length(999) == 500);
  CHECK(round_length(0.02) == Approx(0.02));
  CHECK(round_length(1e-7) == Approx(1e-7));
  CHECK(round_length(0) == 0);
}

TEST_CASE("halos are sorted by a column, filtered, and keep their order where equal", "[window]") {
  analysis::Finding halos = test::many_halos(4);
  halos.columns[0].values = {50, 80, 50, 10};
  CHECK(ordered_pieces(halos, 0, true, 20) == std::vector<std::uint32_t>{1, 0, 2});
  CHECK(ordered_pieces(halos, {}, false, 0) == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(ordered_pieces(halos, {}, true, 20) == std::vector<std::uint32_t>{2, 1, 0});
  // A loose halo is drawn with some radius, but has no R200: last of all.
  halos.columns[2].values = {NAN, 2, NAN, 3};
  CHECK(ordered_pieces(halos, 2, true, 0) == std::vector<std::uint32_t>{3, 1, 0, 2});
}

}  // namespace haloscope::app::viewer
