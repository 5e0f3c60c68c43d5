#include "analysis/snapshot/open_snapshot.h"
#include "render/files/png_file.h"
#include "render/scene/choose_looks.h"
#include "render/scene/default_looks.h"
#include "render/scene/renderer_input.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/zoom_files.h"
#include "tests/output_folder.h"

#include <nlohmann/json.hpp>

#include <cmath>

// Zoom simulations as a user sees them.

using namespace haloscope;
using haloscope::test::OutputFolder;
using haloscope::test::run_program;
using nlohmann::json;
using zoom_files::Zoom;

namespace {

struct Picture {
  json scene;
  Image8 image;
  std::string said;
};

Picture draw(const std::string& snapshot, const std::vector<std::string>& more = {}) {
  const OutputFolder folder;
  std::vector<std::string> words{"render", snapshot,  "-o",       folder.path("a.png"),
                                 "--size", "160x120", "--device", "cpu"};
  words.insert(words.end(), more.begin(), more.end());
  const auto run = run_program(words);
  INFO(run.err);
  REQUIRE(run.code == 0);
  render::ImageText text;
  Picture picture;
  picture.image = render::read_png(folder.path("a.png"), &text);
  picture.scene = json::parse(text.at("Scene"));
  picture.said = run.out + run.err;
  return picture;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Largest distance along an axis, around a box.
double apart(const json& point, const std::array<double, 3>& other, double box) {
  double largest = 0;
  for (std::size_t c = 0; c < 3; ++c)
    largest = std::max(largest, std::abs(std::remainder(point[c].get<double>() - other[c], box)));
  return largest;
}

const json kFine = {"gas", "dm"};
const json kAll = {"gas", "dm", "low-res dm 2", "low-res dm 3"};

}  // namespace

TEST_CASE("the first picture of a zoom simulation is its region of high resolution",
          "[app][zoom]") {
  const OutputFolder folder;
  Zoom middle, corner;
  corner.center = {0.5, 99, 0};
  corner.mass_blocks = true;
  for (const Zoom& zoom : {middle, corner}) {
    const auto path = zoom_files::write(folder.path("zoom.hdf5"), zoom);
    const Picture picture = draw(path);
    CHECK(picture.scene["types"] == kFine);
    CHECK(apart(picture.scene["target"], zoom.center, zoom.box) < 0.1 * zoom.radius);
    double distance = 0;
    for (std::size_t c = 0; c < 3; ++c)
      distance += std::pow(
          picture.scene["eye"][c].get<double>() - picture.scene["target"][c].get<double>(), 2);
    CHECK(std::sqrt(distance) > zoom.radius);
    CHECK(std::sqrt(distance) < 6 * zoom.radius);
    CHECK(says(picture.said, "The picture shows the region of high resolution."));
    CHECK(says(picture.said,
               "took them for dark matter of low resolution, which pictures show only "
               "where it is asked for."));
  }
}

TEST_CASE("dark matter of low resolution is drawn where it is asked for", "[app][zoom]") {
  const OutputFolder folder;
  const auto path = zoom_files::write(folder.path("zoom.hdf5"));
  const Picture fine = draw(path), all = draw(path, {"--types", "0,1,2,3"});
  CHECK(all.scene["types"] == kAll);
  CHECK(all.image.pixels != fine.image.pixels);
  CHECK(draw(path, {"--types", "gas,dm,disk,bulge"}).image.pixels == all.image.pixels);
  CHECK(draw(path, {"--types", "gas,dm,low-res dm 2,low-res dm 3"}).image.pixels ==
        all.image.pixels);
  CHECK(draw(path, {"--types", "gas,dm"}).image.pixels == fine.image.pixels);
  for (const char* type : {"dm", "low-res dm 2", "low-res dm 3"})
    CHECK(all.scene["color"][type]["field"] == "LocalDensity");
  // The region is in the middle whatever is around it; alone, what is around it fills the box.
  CHECK(all.scene["target"] == fine.scene["target"]);
  const Picture coarse = draw(path, {"--types", "3"});
  CHECK(apart(coarse.scene["target"], {50, 50, 50}, 1e9) < 1e-6);
  CHECK_FALSE(says(coarse.said, "region of high resolution"));
}

TEST_CASE("dark matter has one look and one light per mass, whatever its resolution",
          "[app][zoom]") {
  const OutputFolder folder;
  const auto path = zoom_files::write(folder.path("zoom.hdf5"));
  const auto reader = analysis::open_snapshot(path, {});
  Progress progress;
  const auto scene_of = [&](const std::vector<std::string>& types) {
    render::RenderRequest request;
    request.types = types;
    const render::LookPlan plan = render::plan_looks(reader->info(), request);
    const ParticleSet particles = io::load_particles(*reader, plan.load, progress);
    const auto looks = render::settled_looks(particles, plan);
    for (const render::TypeLook& look : looks)
      if (look.type > 0) CHECK(look.palette == render::default_look(1).palette);
    return render::make_renderer_input(particles, looks, compute::splotch::Mode::Default)
        .appearances;
  };
  const auto all = scene_of({"1", "2", "3"});
  REQUIRE(all.size() == 3);
  CHECK(all[0].brightness == scene_of({"1"})[0].brightness);
  CHECK(all[1].brightness == all[0].brightness);
  CHECK(all[2].brightness == all[0].brightness);
  // Where the dark matter of high resolution is not drawn, the rest of it is one type's light.
  const auto coarse = scene_of({"2", "3"});
  CHECK(coarse[0].brightness == coarse[1].brightness);
  CHECK(double(coarse[0].brightness) * (8 + 64) == Approx(double(all[0].brightness)));
}

TEST_CASE("isolated galaxies keep their disks and bulges", "[app][zoom]") {
  const OutputFolder folder;
  Zoom galaxy;
  galaxy.cosmological = false;
  const auto path = zoom_files::write(folder.path("galaxy.hdf5"), galaxy);
  const Picture picture = draw(path);
  CHECK(picture.scene["types"] == json({"gas", "dm", "disk", "bulge"}));
  CHECK_FALSE(picture.scene["color"].contains("disk"));
  CHECK_FALSE(says(picture.said, "resolution"));
}

TEST_CASE("a map of a zoom simulation holds all its mass", "[app][zoom][map]") {
  const OutputFolder folder;
  const auto path = zoom_files::write(folder.path("zoom.hdf5"));
  const Picture map = draw(path, {"--map", "surface-density"});
  CHECK(map.scene["types"] == kAll);
  CHECK(apart(map.scene["target"], {50, 50, 50}, 1e9) < 1e-6);
}

TEST_CASE("info tells dark matter of low resolution", "[app][zoom]") {
  const OutputFolder folder;
  const auto path = zoom_files::write(folder.path("zoom.hdf5"));
  const auto text = run_program({"info", path});
  CHECK(says(text.out, "type 2    low-res dm 2: 2000 particles, mass 8 each"));
  CHECK(says(text.out, "took them for dark matter of low resolution"));
  CHECK_FALSE(says(text.out, "disk"));
  const auto report = json::parse(run_program({"info", path, "--json"}).out);
  CHECK(report["types"]["3"]["low_resolution"] == true);
  CHECK_FALSE(report["types"]["1"].contains("low_resolution"));
}

TEST_CASE("a film of a zoom simulation shows what a picture of it shows", "[app][zoom][movie]") {
  const OutputFolder folder;
  const auto path = zoom_files::write(folder.path("zoom.hdf5"));
  const std::vector<std::string> camera{"--eye", "50,20,50", "--target", "50,50,50",
                                        "--deterministic"};
  test::put_bytes(folder.path("path.toml"),
                  "fps = 2\n[[key]]\ntime = 0\neye = [50, 20, 50]\ntarget = [50, 50, 50]\n");
  const auto run = run_program({"movie", path, "--path", folder.path("path.toml"), "-o",
                                folder.path("%02d.png"), "--size", "160x120", "--device", "cpu"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK(render::read_png(folder.path("00.png")).pixels == draw(path, camera).image.pixels);
}
