#include "app/cli/render.h"

#include "app/cli/interrupt.h"
#include "core/error.h"
#include "core/text_values.h"
#include "render/files/exr_file.h"
#include "render/files/png_file.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/renderers.h"
#include "tests/test_paths.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <csignal>
#include <numeric>
#include <thread>

// `haloscope render` and `haloscope info` as a user runs them.

using namespace haloscope;
using haloscope::test::OutputFolder;
using haloscope::test::run_program;

namespace {

std::string sample() {
  return haloscope::test::whole_sample();
}

// Gas with masses, lengths and temperatures of its own, in a box of side 10.
std::string write_box(const OutputFolder& folder, std::size_t count = 400) {
  const std::string path = folder.path("box.hdf5");
  snapshot_files::FileWriter file(path);
  snapshot_files::write_header(file, {std::uint32_t(count), 0, 0, 0, 0, 0}, 10);
  file.group("PartType0");
  std::vector<float> masses(count), lengths(count), heat(count);
  for (std::size_t i = 0; i < count; ++i) {
    masses[i] = 1 + float(i % 7);
    lengths[i] = 0.01f + 0.004f * float(i % 300);
    heat[i] = 5 + float(i % 11);
  }
  file.dataset("PartType0/Coordinates", {count, 3}, snapshot_files::some_positions(count, 10));
  file.dataset("PartType0/Masses", {count}, masses);
  file.dataset("PartType0/SmoothingLength", {count}, lengths);
  file.dataset("PartType0/Heat", {count}, heat);
  return path;
}

double total_of(const ImageF& image) {
  double sum = 0;
  for (float v : image.pixels)
    if (std::isfinite(v)) sum += double(v);
  return sum;
}

}  // namespace

TEST_CASE("render tells of colors that have no logarithm") {
  const OutputFolder folder;
  const auto colored = [&](const std::string& color) {
    return run_program({"render", haloscope::test::whole_sample(), "-o", folder.path("r.png"),
                        "--size", "64x48", "--device", "cpu", "--types", "gas,stars", "--overwrite",
                        "--color", color});
  };
  const haloscope::test::Outcome log = colored("TreePotential:log");
  INFO(log.out << log.err);
  CHECK(log.code == 0);
  CHECK(log.says(" values of TreePotential of gas are below 0 and have no logarithm"));
  CHECK(log.says("12390 of 12390 values of TreePotential of stars"));
  CHECK_FALSE(colored("TreePotential:asinh").says("no logarithm"));
}

TEST_CASE("the sample becomes a picture that is neither black nor white", "[app]") {
  for (const auto& device : ::test::devices())
    for (const std::string mode : {"default", "classic"}) {
      const OutputFolder folder;
      const auto run = run_program({"render", sample(), "-o", folder.path("a.png"), "--size",
                                    "480x270", "--device", device.word(), "--mode", mode, "--stats",
                                    folder.path("s.json")});
      INFO(device << " " << mode << ": " << run.err);
      REQUIRE(run.code == 0);
      CHECK(folder.files() == std::vector<std::string>{"a.png", "s.json"});
      render::ImageText text;
      const Image8 image = render::read_png(folder.path("a.png"), &text);
      REQUIRE(image.width == 480);
      const double mean =
          std::accumulate(image.pixels.begin(), image.pixels.end(), 0.) / image.pixels.size();
      CHECK(mean > 5);
      CHECK(mean < 120);
      CHECK(text.at("Command").find("--size 480x270") != std::string::npos);
      const auto scene = nlohmann::json::parse(text.at("Scene"));
      CHECK(scene["types"] == nlohmann::json({"gas", "dm", "stars"}));
      CHECK(scene["eye"].size() == 3);
      CHECK(scene["palette"]["gas"] == "default");
      CHECK(scene["smooth"] == 1);
      CHECK(scene["exposure"] == 0);
      CHECK(scene["brightness"]["dm"] ==
            (mode == "classic" ? nlohmann::json("automatic") : nlohmann::json(1.0)));
      CHECK(run.says("assumed: 12390 stars particles have no smoothing length in the file"));
      CHECK(run.says("milliseconds on"));

      const auto stats = nlohmann::json::parse(haloscope::test::file_bytes(folder.path("s.json")));
      for (const char* phase :
           {"read", "upload", "project", "sort", "small", "medium", "large", "composite", "total"})
        CHECK(stats["milliseconds"].contains(phase));
      CHECK(stats["milliseconds"]["total"].get<double>() > 0);
      CHECK(stats["milliseconds"]["read"].get<double>() > 0);
      CHECK(stats["counts"]["particles"] == 98202 + 110592 + 12390);
      CHECK(stats["memory"]["host_peak_bytes"].get<double>() > 1e6);
    }
}

TEST_CASE("the picture is in the middle and the right way up", "[app]") {
  const OutputFolder folder;
  const std::string path = folder.path("points.hdf5");
  snapshot_files::FileWriter file(path);
  snapshot_files::write_header(file, {1, 0, 0, 0, 0, 0}, 10);
  file.group("PartType0");
  file.dataset<float>("PartType0/Coordinates", {1, 3}, {5, 5, 8});
  file.dataset<float>("PartType0/SmoothingLength", {1}, {0.5f});
  const auto run = run_program({"render", path, "-o", folder.path("a.png"), "--size", "100x100",
                                "--eye", "5,-10,5", "--target", "5,5,5"});
  REQUIRE(run.code == 0);
  const Image8 image = render::read_png(folder.path("a.png"));
  double x = 0, y = 0, light = 0;
  for (int j = 0; j < 100; ++j)
    for (int i = 0; i < 100; ++i) {
      const double v = image.at(i, j)[0];
      x += v * (i + 0.5);
      y += v * (j + 0.5);
      light += v;
    }
  REQUIRE(light > 0);
  CHECK(x / light == Approx(50).margin(0.5));
  // 3 of 15 lengths above the line of sight; tan 20° is half the picture.
  CHECK(y / light == Approx(50 - 50 * 0.2 / std::tan(20 * 3.14159265 / 180)).margin(0.5));
}

TEST_CASE("a map of particles that have one mass tells its unit by name", "[app][map]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("s.hdf5");
  snapshot_files::write_gas(snapshot, snapshot_files::some_positions(5, 10), 10);
  const auto run = run_program({"render", snapshot, "-o", folder.path("m.exr"), "--map",
                                "surface-density", "--size", "8x8"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  render::ImageText text;
  render::read_exr(folder.path("m.exr"), nullptr, &text);
  CHECK(text.at("units") == "(1e10 Msun/h)/(kpc/h)^2");
}

TEST_CASE("a map of a periodic box holds all its mass, whatever the shape", "[app][map]") {
  const OutputFolder folder;
  const auto box = write_box(folder);
  double mass = 0;
  for (int i = 0; i < 400; ++i) mass += 1 + i % 7;
  for (const auto& device : ::test::devices())
    for (const std::string size : {"64x64", "101x57", "40x90", "1x1", "512x512"}) {
      const auto run = run_program({"render", box, "-o", folder.path("m.exr"), "--map",
                                    "surface-density", "--size", size, "--device", device.word()});
      INFO(size << ": " << run.err);
      REQUIRE(run.code == 0);
      render::ImageText text;
      const ImageF map = render::read_exr(folder.path("m.exr"), nullptr, &text);
      const double pixel = std::stod(text.at("pixel_size"));
      CHECK(total_of(map) * pixel * pixel == Approx(mass).epsilon(1e-6));
    }
}

TEST_CASE("a map as wide as a periodic box holds all its mass from any axis", "[app][map]") {
  const OutputFolder folder;
  const auto box = write_box(folder);
  double mass = 0;
  for (int i = 0; i < 400; ++i) mass += 1 + i % 7;
  const std::vector<std::vector<std::string>> cameras{
      {"--target", "1,2,3"},
      {"--ortho", "10"},
      {"--ortho", "10", "--target", "0,0,0"},
      {"--ortho", "25"},
      {"--target", "5,5,5", "--eye", "9,5,5"},
      {"--target", "5,5,5", "--eye", "-9,5,5", "--ortho", "10.000001"},
      {"--target", "4,5,5", "--eye", "4,9,5", "--up", "1,0,0"},
      {"--target", "5,5,5", "--eye", "5,5,-9", "--ortho", "9.999999"},
      {"--up", "1,0,0"}};
  const auto draw = [&](const std::vector<std::string>& camera, const std::string& size) {
    std::vector<std::string> arguments{
        "render", box, "-o", folder.path("m.exr"), "--map", "surface-density", "--size", size};
    arguments.insert(arguments.end(), camera.begin(), camera.end());
    const auto run = run_program(arguments);
    INFO(run.err);
    REQUIRE(run.code == 0);
    render::ImageText text;
    const ImageF map = render::read_exr(folder.path("m.exr"), nullptr, &text);
    const double pixel = std::stod(text.at("pixel_size"));
    return std::pair(total_of(map) * pixel * pixel / mass, run);
  };
  for (const auto& camera : cameras) {
    INFO(camera[0] << " " << camera[1]);
    const auto [part, run] = draw(camera, "70x70");
    CHECK(part == Approx(1).epsilon(1e-6));
    CHECK_FALSE(run.says("outside the map"));
  }
  const auto [tilted, tilted_run] = draw({"--up", "1,1,0", "--ortho", "10"}, "70x70");
  CHECK(tilted < 0.99);
  CHECK(tilted_run.says("warning"));
  CHECK(tilted_run.says("outside the map"));
  const auto [half, half_run] = draw({"--ortho", "5"}, "70x70");
  CHECK(half < 0.9);
  CHECK(half_run.out.find("outside the map") != std::string::npos);
  CHECK(half_run.err.empty());
}

TEST_CASE("a map of a set without a box holds all its mass", "[app][map]") {
  const OutputFolder folder;
  for (const bool lengths : {true, false}) {
    const std::string path = folder.path("open.hdf5");
    {
      snapshot_files::FileWriter file(path);
      snapshot_files::write_header(file, {200, 0, 0, 0, 0, 0}, 0);
      file.group("PartType0");
      file.dataset("PartType0/Coordinates", {200, 3}, snapshot_files::some_positions(200, 10));
      file.dataset("PartType0/Masses", {200}, std::vector<float>(200, 2));
      if (lengths) file.dataset("PartType0/SmoothingLength", {200}, std::vector<float>(200, 1.5f));
    }
    for (const auto& device : ::test::devices()) {
      const auto run =
          run_program({"render", path, "-o", folder.path("m.exr"), "--map", "surface-density",
                       "--size", "90x70", "--device", device.word()});
      INFO(run.err);
      REQUIRE(run.code == 0);
      render::ImageText text;
      const ImageF map = render::read_exr(folder.path("m.exr"), nullptr, &text);
      const double pixel = std::stod(text.at("pixel_size"));
      CHECK(total_of(map) * pixel * pixel == Approx(400).epsilon(1e-5));
    }
  }
}

TEST_CASE("a map closes at the edges of a periodic box", "[app][map]") {
  const OutputFolder folder;
  const std::string path = folder.path("corner.hdf5");
  snapshot_files::FileWriter file(path);
  snapshot_files::write_header(file, {1, 0, 0, 0, 0, 0}, 10);
  file.group("PartType0");
  file.dataset<float>("PartType0/Coordinates", {1, 3}, {0, 0, 5});
  file.dataset<float>("PartType0/SmoothingLength", {1}, {2});
  file.dataset<float>("PartType0/Masses", {1}, {3});
  REQUIRE(run_program({"render", path, "-o", folder.path("m.exr"), "--map", "surface-density",
                       "--size", "40x40"})
              .code == 0);
  const ImageF map = render::read_exr(folder.path("m.exr"));
  const float corner = map.pixels[0];
  CHECK(corner > 0);
  CHECK(map.pixels[39] == Approx(corner));
  CHECK(map.pixels[39 * 40] == Approx(corner));
  CHECK(map.pixels[39 * 40 + 39] == Approx(corner));
  CHECK(map.pixels[20 * 40 + 20] == 0);
}

TEST_CASE("a mean map averages a field by mass, with NaN where there is none", "[app][map]") {
  const OutputFolder folder;
  const std::string path = folder.path("two.hdf5");
  snapshot_files::FileWriter file(path);
  snapshot_files::write_header(file, {3, 0, 0, 0, 0, 0}, 10);
  file.group("PartType0");
  file.dataset<float>("PartType0/Coordinates", {3, 3}, {5, 5, 2, 5, 5, 8, 5, 5, 9});
  file.dataset<float>("PartType0/SmoothingLength", {3}, {1, 1, 1});
  file.dataset<float>("PartType0/Masses", {3}, {1, 3, 5});
  file.dataset<float>("PartType0/Heat", {3}, {10, 20, std::nanf("")});
  REQUIRE(run_program(
              {"render", path, "-o", folder.path("m.exr"), "--map", "mean:Heat", "--size", "41x41"})
              .code == 0);
  const ImageF map = render::read_exr(folder.path("m.exr"));
  CHECK(map.pixels[20 * 41 + 20] == Approx(17.5));
  CHECK(std::isnan(map.pixels[0]));
  REQUIRE(run_program({"render", path, "-o", folder.path("m.hdf5"), "--map", "mean:Heat"}).code ==
          0);
  const hid_t written = H5Fopen(folder.path("m.hdf5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  REQUIRE(written >= 0);
  CHECK(H5Lexists(written, "map", H5P_DEFAULT) > 0);
  H5Fclose(written);
  for (const char* name : {"m.Hdf5", "m.HDF5", "m.H5", "m.Exr", "m.PNG"}) {
    const auto run = run_program(
        {"render", path, "-o", folder.path(name), "--map", "mean:Heat", "--size", "8x8"});
    INFO(name << ": " << run.err);
    CHECK(run.code == 0);
    const std::string start = haloscope::test::file_bytes(folder.path(name)).substr(1, 3);
    CHECK((start == "HDF" || start == "PNG") == (name != std::string("m.Exr")));
  }
}

TEST_CASE("brightness does not depend on the snapshot's units", "[app]") {
  const OutputFolder folder;
  std::vector<Image8> images;
  for (const double unit : {1., 1000.}) {
    const std::string path = folder.path("u.hdf5");
    snapshot_files::FileWriter file(path);
    snapshot_files::write_header(file, {300, 0, 0, 0, 0, 0}, 10 * unit);
    file.group("PartType0");
    auto positions = snapshot_files::some_positions(300, 10);
    std::vector<float> lengths(300, float(0.5 * unit)), masses(300, float(unit * unit));
    for (float& x : positions) x = float(x * unit);
    file.dataset("PartType0/Coordinates", {300, 3}, positions);
    file.dataset("PartType0/SmoothingLength", {300}, lengths);
    file.dataset("PartType0/Masses", {300}, masses);
    file.dataset("PartType0/Density", {300}, masses);
    REQUIRE(run_program({"render", path, "-o", folder.path("u.png"), "--size", "80x60"}).code == 0);
    images.push_back(render::read_png(folder.path("u.png")));
  }
  int largest = 0;
  for (std::size_t i = 0; i < images[0].pixels.size(); ++i)
    largest = std::max(largest, std::abs(int(images[0].pixels[i]) - int(images[1].pixels[i])));
  CHECK(largest <= 1);
}

TEST_CASE("info tells a snapshot's facts as text and as JSON", "[app]") {
  const auto text = run_program({"info", sample()});
  REQUIRE(text.code == 0);
  for (const char* part : {"18000", "periodic", "gas", "98202", "Temperature", "GPU memory"})
    CHECK(text.says(part));
  const auto run = run_program({"info", sample(), "--json"});
  REQUIRE(run.code == 0);
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["box_size"] == 18000);
  CHECK(json["periodic"] == true);
  CHECK(json["redshift"].get<double>() == Approx(0).margin(1e-6));
  CHECK(json["files"].size() == 1);
  CHECK(json["types"]["0"]["count"] == 98202);
  const auto& fields = json["types"]["4"]["fields"];
  CHECK(std::find(fields.begin(), fields.end(), "StellarFormationTime") != fields.end());
  CHECK(json["assumed"].is_array());
  CHECK(json["format"].get<std::string>().find("GADGET-4") != std::string::npos);
  CHECK(text.says("to render " +
                  ::bytes_in_words(json["render_memory"]["host_bytes"].get<std::uint64_t>())));
  CHECK(json["render_memory"]["host_bytes"].get<double>() >
        json["render_memory"]["device_bytes"].get<double>());
  CHECK(json["render_memory"]["device_bytes"].get<double>() > 221184 * 20);
}

TEST_CASE("an interrupted run ends with 130 and writes nothing", "[app]") {
  const OutputFolder folder;
  Progress progress;
  progress.cancel();
  analysis::RunContext context{progress, [](const std::string&) {}, "test"};
  render::RenderRequest request;
  request.snapshot = sample();
  request.output = folder.path("out.png");
  CHECK_THROWS_AS(app::cli::run_render(request, context), Cancelled);
  CHECK(folder.files().empty());
  // The signals themselves, while a long run draws; the last comes when a terminal is closed.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::thread later([signal] {
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      std::raise(signal);
    });
    const auto run =
        run_program({"render", sample(), "-o", folder.path("out.png"), "--repeat", "100000"});
    later.join();
    INFO(signal);
    CHECK(run.code == 130);
    CHECK(run.says("interrupted"));
    CHECK(folder.files().empty());
  }
}

TEST_CASE("what nohup turned off stays off", "[app]") {
  const auto former = std::signal(SIGHUP, SIG_IGN);
  {
    Progress progress;
    const app::cli::InterruptCancels interrupt(progress);
    std::raise(SIGHUP);
    CHECK_FALSE(progress.cancelled());
  }
  CHECK(std::signal(SIGHUP, former) == SIG_IGN);
}

TEST_CASE("help puts all descriptions in one column", "[app]") {
  for (const char* command : {"info", "render", "movie", "convert", "halos", "catalog"}) {
    std::istringstream lines(run_program({command, "--help"}).out);
    INFO(command);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  -") || line.find("  ", 3) == std::string::npos) continue;
      // Characters, not bytes.
      std::erase_if(line, [](char c) { return (static_cast<unsigned char>(c) >> 6) == 2; });
      INFO(line);
      const auto name_end = line.find("  ", 3);
      CHECK((name_end >= 30 || line.find_first_not_of(' ', name_end) == 30));
    }
  }
}

TEST_CASE("help and version need no snapshot", "[app]") {
  CHECK(run_program({}).says("render"));
  CHECK(run_program({"--help"}).code == 0);
  CHECK(run_program({"--version"}).says("haloscope "));
  CHECK(run_program({"render", "--help"}).says("--palette"));
  CHECK(run_program({"render", "--help"}).says("inferno"));
}

TEST_CASE("colors follow the field, the range and the palette", "[app]") {
  const OutputFolder folder;
  const auto box = write_box(folder);
  auto draw = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"render", box,     "-o",     folder.path("c.png"),
                                       "--size", "60x40", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto run = run_program(arguments);
    INFO(run.err);
    REQUIRE(run.code == 0);
    CHECK(run.out.empty());
    return render::read_png(folder.path("c.png")).pixels;
  };
  const auto viridis = draw({"--color", "Heat:lin", "--palette", "viridis"});
  CHECK(viridis != draw({"--color", "Heat:lin", "--palette", "magma"}));
  CHECK(viridis == draw({"--color", "heat:lin", "--palette", "viridis", "--types", "GAS"}));
  CHECK(viridis != draw({"--color", "Masses:lin", "--palette", "viridis"}));
  CHECK(viridis != draw({"--color", "Heat:lin", "--palette", "viridis", "--range", "0,100"}));
  CHECK(viridis == draw({"--color", "Heat:lin", "--palette", "VIRIDIS"}));
  CHECK(viridis != draw({"--color", "Heat:lin", "--palette", "viridis", "--exposure", "2"}));
  CHECK(viridis != draw({"--color", "Heat:lin", "--palette", "viridis", "--smooth", "3"}));
  CHECK(draw({"--color", "Coordinates"}) != viridis);
}

TEST_CASE("types that show one field have one scale, those without it keep their look", "[app]") {
  const OutputFolder folder;
  const std::string path = folder.path("types.hdf5");
  {
    snapshot_files::FileWriter file(path);
    snapshot_files::write_header(file, {200, 200, 0, 0, 200, 0}, 10);
    for (const int type : {0, 1, 4}) {
      const std::string group = "PartType" + std::to_string(type);
      file.group(group).dataset(group + "/Coordinates", {200, 3},
                                snapshot_files::some_positions(200, 10, std::uint64_t(type) + 1));
      std::vector<float> metals(200);
      for (std::size_t i = 0; i < 200; ++i) metals[i] = float(type) * 10 + float(i) / 10;
      if (type != 1) file.dataset(group + "/Metallicity", {200}, metals);
    }
  }
  const auto run =
      run_program({"render", path, "-o", folder.path("a.png"), "--size", "64x64", "--device", "cpu",
                   "--color", "Metallicity", "--palette", "viridis"});
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  render::ImageText text;
  render::read_png(folder.path("a.png"), &text);
  const auto scene = nlohmann::json::parse(text.at("Scene"));
  const auto &gas = scene["color"]["gas"], &stars = scene["color"]["stars"];
  CHECK(gas["range"] == stars["range"]);
  CHECK(gas["transform"] == stars["transform"]);
  // Gas begins at 0, the stars end at 60.
  CHECK(double(gas["range"][0]) < 1);
  CHECK(double(gas["range"][1]) > 58);
  CHECK(scene["palette"]["gas"] == "viridis");
  CHECK(scene["palette"]["dm"] == "default");
}
