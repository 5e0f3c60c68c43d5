#include "app/cli/splotch.h"

#include "core/error.h"
#include "core/log.h"
#include "render/files/ppm_tga_file.h"
#include "tests/catch.h"
#include "tests/made/binary_files.h"
#include "tests/made/snapshot_files.h"
#include "tests/oracles/splotch_reference.h"
#include "tests/output_folder.h"
#include "tests/renderers.h"
#include "tests/test_paths.h"

#include <fstream>

// `haloscope splotch` against the pictures that Splotch 6 itself made.

using namespace haloscope;
using haloscope::test::OutputFolder;

namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> run(const std::string& file, const std::string& folder,
                             const std::string& device, compute::splotch::Strategy strategy,
                             std::vector<std::string>* lines = nullptr) {
  Progress progress;
  analysis::RunContext context{progress,
                               [&](const std::string& line) {
                                 if (lines) lines->push_back(line);
                               },
                               "test"};
  app::cli::SplotchRequest request;
  request.parameter_file = file;
  request.output_folder = folder;
  request.compute.device = device;
  request.compute.strategy = strategy;
  return app::cli::run_splotch(request, context);
}

const std::vector<std::string> kScenes{
    "s01_perspective_log",   "s02_orthographic_asinh", "s03_vector_color",   "s04_absorption",
    "s05_zrange_roll_gamma", "s06_close_large",        "s07_gas_temperature"};

// A raw table of `count` particles in a row, and a parameter file that draws it.
std::string write_scene(const OutputFolder& folder, const std::string& more = {}, int count = 20) {
  std::ofstream table(folder.path("in.bin"), std::ios::binary);
  for (int i = 0; i < count; ++i) {
    const float row[] = {float(i) / 10, 0, 0, 0.2f, 1, float(i + 1)};
    table.write(reinterpret_cast<const char*>(row), sizeof row);
  }
  std::ofstream(folder.path("ramp.pal")) << "ramp\n0100\n2\n255 0 0\n0 0 255\n";
  std::ofstream(folder.path("scene.par"))
      << "simtype=0\nnum_blocks=6\nx=1\ny=2\nz=3\nr=4\nI=5\nC1=6\nswap_endian=F\npalette0=ramp."
         "pal\n"
         "camera_x=1\ncamera_y=-5\ncamera_z=0\nlookat_x=1\nlookat_y=0\nlookat_z=0\nxres=40\n"
         "brightness0=2\ninfile=in.bin\noutfile=out_\n"
      << (more.find("pictype") == std::string::npos ? "pictype=2\n" : "") << more;
  return folder.path("scene.par");
}

}  // namespace

TEST_CASE("Splotch's own pictures come out of its own parameter files", "[splotch][classic]") {
  const auto root = haloscope::test::shared_data("data/splotch");
  if (!root) return;
  using compute::splotch::Strategy;
  for (const auto& scene : kScenes)
    for (const auto& device : ::test::devices())
      for (const Strategy strategy : {Strategy::Auto, Strategy::Paper}) {
        const OutputFolder folder;
        const auto written =
            run((*root / scene / "scene.par").string(), folder.path(), device.word(), strategy);
        INFO(scene << " on " << device << (strategy == Strategy::Paper ? ", paper" : ", auto"));
        REQUIRE(written == std::vector<std::string>{folder.path("golden_0000.ppm")});
        const Image8 ours = render::read_ppm(written.front());
        const Image8 golden = render::read_ppm((*root / scene / "golden_0000.ppm").string());
        REQUIRE(ours.width == golden.width);
        REQUIRE(ours.height == golden.height);
        int largest = 0;
        std::size_t off = 0, lit = 0;
        for (std::size_t i = 0; i < golden.pixels.size(); i += 3) {
          int pixel = 0;
          for (std::size_t c = i; c < i + 3; ++c)
            pixel = std::max(pixel, std::abs(int(ours.pixels[c]) - int(golden.pixels[c])));
          largest = std::max(largest, pixel);
          off += pixel > 1;
          lit += golden.pixels[i] > 25;
        }
        CHECK(lit > 100);
        CHECK(largest <= 3);
        CHECK(double(off) <= 0.001 * double(golden.pixels.size() / 3));
      }
}

TEST_CASE("frames of a scene file become numbered pictures with a color bar", "[splotch]") {
  const OutputFolder folder;
  const auto file = write_scene(folder, "scene_file=cameras.txt\ncolorbar=T\n");
  std::ofstream(folder.path("cameras.txt")) << "camera_x camera_y\n1 -5\n1.5 -4\n1 -3\n";
  const auto written = run(file, folder.path(), "cpu", compute::splotch::Strategy::Auto);
  REQUIRE(written.size() == 3);
  CHECK(written[2] == folder.path("out_0002.ppm"));
  const Image8 first = render::read_ppm(written[0]), second = render::read_ppm(written[1]);
  CHECK(first.pixels != second.pixels);
  // The bar: the last ten rows, from the palette's red to its blue.
  CHECK(int(first.at(0, 35)[0]) == 255);
  CHECK(int(first.at(39, 35)[2]) > 230);
}

TEST_CASE("one eye of a stereo pair is drawn as Splotch's formulas say", "[splotch]") {
  splotch_reference::Scene scene;
  for (int i = 0; i < 20; ++i) {
    const double x = double(float(i) / 10);
    scene.particles.push_back({{x, 0, 0}, double(0.2f), 1, {double(i + 1), 0, 0}});
  }
  scene.looks[0].brightness = 2;
  scene.looks[0].palette = {{1, 0, 0}, {0, 0, 1}};
  scene.width = scene.height = 40;
  scene.camera = {1, -5, 0};
  scene.lookat = {1, 0, 0};
  scene.sky = {0, 0, 1};
  scene.center = splotch_reference::Vec{1.4, -5.5, 0.9};
  const auto light = splotch_reference::render(scene);
  const OutputFolder folder;
  const auto file = write_scene(folder, "center_x=1.4\ncenter_y=-5.5\ncenter_z=0.9\n");
  for (const auto& device : ::test::devices()) {
    const auto written = run(file, folder.path(), device.word(), {});
    const Image8 picture = render::read_ppm(written.front());
    REQUIRE(picture.pixels.size() == light.size());
    int largest = 0, brightest = 0;
    for (std::size_t i = 0; i < light.size(); ++i) {
      const int expected = int(std::clamp(256 * light[i], 0.0, 255.0));
      largest = std::max(largest, std::abs(int(picture.pixels[i]) - expected));
      brightest = std::max(brightest, expected);
    }
    CHECK(brightest > 100);
    CHECK(largest <= 1);
  }
}

TEST_CASE("a Gadget snapshot through Splotch's keys equals the same particles as a table",
          "[splotch]") {
  const OutputFolder folder;
  write_scene(folder);
  std::vector<float> positions, radii, heat;
  for (int i = 0; i < 20; ++i) {
    positions.insert(positions.end(), {float(i) / 10, 0, 0});
    radii.push_back(0.4f);
    heat.push_back(float(i + 1) / 4);
  }
  {
    snapshot_files::FileWriter file(folder.path("snap_000.hdf5"));
    snapshot_files::write_header(file, {20, 0, 0, 0, 0, 0}, 2.5);
    file.group("PartType0");
    file.dataset("PartType0/Coordinates", {20, 3}, positions);
    file.dataset("PartType0/Length", {20}, radii);
    file.dataset("PartType0/Heat", {20}, heat);
  }
  const std::string camera =
      "camera_x=1\ncamera_y=-5\ncamera_z=0\nlookat_x=1\nlookat_y=0\nlookat_z=0\nxres=40\n"
      "brightness0=2\npalette0=ramp.pal\npictype=2\n";
  const std::string columns =
      "size_label0=Length\nsize_fix0=0\nsize_fac0=0.5\ncolor_label0=Heat\ncolor_fac0=4\n";
  std::ofstream(folder.path("gadget.par"))
      << camera << columns << "simtype=8\ndatadir=" << folder.path() << "\ninfile=snap_\n"
      << "outfile=gadget_\nperiodic=F\n";
  {
    // The same particles in blocks of format 2, under the labels of those.
    binary_files::GadgetBinary file;
    file.format = 2;
    file.count[0] = 20;
    file.box = 2.5;
    std::vector<std::uint64_t> ids(20, 1);
    file.reals("POS", {positions.begin(), positions.end()}).ids(ids);
    file.reals("MASS", std::vector<double>(20, 1));
    file.reals("HSML", {radii.begin(), radii.end()}).reals("TEMP", {heat.begin(), heat.end()});
    file.write(folder.path("blocks_000"));
  }
  std::ofstream(folder.path("blocks.par"))
      << camera << "size_label0=HSML\nsize_fix0=0\nsize_fac0=0.5\ncolor_label0=TEMP\n"
      << "color_fac0=4\nsimtype=2\ndatadir=" << folder.path() << "\ninfile=blocks_\n"
      << "outfile=blocks_\nperiodic=F\n";
  std::ofstream(folder.path("twice.par"))
      << camera << columns << "simtype=8\ndatadir=" << folder.path() << "\ninfile=snap_\n"
      << "outfile=twice_\nperiodic=F\nptypes=2\nptype1=0\nsize_fix1=0.2\npalette1=ramp.pal\n";
  for (const auto& device : ::test::devices()) {
    auto picture = [&](const std::string& name) {
      const auto written = run(folder.path(name), folder.path(), device.word(), {});
      return render::read_ppm(written.front()).pixels;
    };
    const auto table = picture("scene.par"), gadget = picture("gadget.par");
    CHECK(*std::max_element(table.begin(), table.end()) > 50);
    int largest = 0;
    for (std::size_t i = 0; i < table.size(); ++i)
      largest = std::max(largest, std::abs(int(table[i]) - int(gadget[i])));
    CHECK(largest <= 1);
    CHECK(picture("blocks.par") == gadget);
    // A second kind of the same particles adds its light, in the palette's last color.
    CHECK(picture("twice.par") != gadget);
  }
}

TEST_CASE("Splotch's TGA files have its name and size", "[splotch]") {
  const OutputFolder folder;
  const auto file = write_scene(folder, "pictype=0\n");
  const auto written = run(file, folder.path(), "cpu", compute::splotch::Strategy::Auto);
  CHECK(written == std::vector<std::string>{folder.path("out_0000.tga")});
  CHECK(std::filesystem::file_size(written.front()) == 18 + 40 * 40 * 3);
}

TEST_CASE("faults of a Splotch run are told before anything is drawn", "[splotch]") {
  const OutputFolder folder;
  const auto file = write_scene(folder);
  using compute::splotch::Strategy;
  const auto no_folder = haloscope::test::message_of(
      [&] { run(file, folder.path("missing"), "cpu", Strategy::Auto); });
  CHECK(says(no_folder, "missing"));
  const auto binary = haloscope::test::message_of(
      [&] { run(folder.path("in.bin"), folder.path(), "cpu", Strategy::Auto); });
  CHECK(says(binary, "not a text file"));
  CHECK(binary.find_first_not_of("\n") == 0);
  std::vector<std::string> lines;
  OutputFolder drawn;
  run(file, drawn.path(), "cpu", Strategy::Auto, &lines);
  CHECK(lines.size() == 1);
  CHECK_FALSE(says(lines.front(), "masses"));
  std::filesystem::remove(folder.path("ramp.pal"));
  CHECK(says(haloscope::test::message_of([&] { run(file, folder.path(), "cpu", Strategy::Auto); }),
             "ramp.pal"));
  std::filesystem::remove(folder.path("in.bin"));
  CHECK(says(haloscope::test::message_of([&] { run(file, folder.path(), "cpu", Strategy::Auto); }),
             "in.bin"));
  for (const auto& name : folder.files()) CHECK_FALSE(says(name, "out_"));
}

TEST_CASE("a Splotch picture never replaces what is read", "[splotch]") {
  const OutputFolder folder;
  const auto file = write_scene(folder);
  using compute::splotch::Strategy;
  for (const char* input : {"in.bin", "ramp.pal", "scene.par"}) {
    const std::string before = haloscope::test::file_bytes(folder.path(input));
    std::filesystem::remove(folder.path("out_0000.ppm"));
    std::filesystem::create_symlink(folder.path(input), folder.path("out_0000.ppm"));
    CHECK(
        says(haloscope::test::message_of([&] { run(file, folder.path(), "cpu", Strategy::Auto); }),
             "overwrite"));
    CHECK(haloscope::test::file_bytes(folder.path(input)) == before);
  }
  std::filesystem::remove(folder.path("out_0000.ppm"));
  run(file, folder.path(), "cpu", Strategy::Auto);
  CHECK(run(file, folder.path(), "cpu", Strategy::Auto).size() == 1);
}

TEST_CASE("a Splotch picture without particles in view says so", "[splotch]") {
  const OutputFolder folder;
  const auto file = write_scene(folder, "camera_y=-5\nlookat_y=-9\n");
  std::vector<std::string> warnings;
  auto former =
      log::set_sink([&](log::Level, const std::string& message) { warnings.push_back(message); });
  run(file, folder.path(), "cpu", compute::splotch::Strategy::Auto);
  log::flush();
  log::set_sink(std::move(former));
  const bool said = std::any_of(warnings.begin(), warnings.end(), [](const std::string& w) {
    return w.find("empty") != std::string::npos;
  });
  CHECK(said);
}
