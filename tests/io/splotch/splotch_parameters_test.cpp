#include "io/splotch/splotch_parameters.h"

#include "core/edit_distance.h"
#include "core/error.h"
#include "core/log.h"
#include "io/splotch/splotch_keys.h"
#include "io/splotch/splotch_scene.h"
#include "tests/catch.h"
#include "tests/test_paths.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace haloscope;
using namespace haloscope::io;
namespace fs = std::filesystem;

namespace {

// A folder of its own, gone at the end of the test.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "splotch_test_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Scratch() { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

// Collects warnings while it lives.
class Warnings {
 public:
  Warnings() {
    former_ = log::set_sink([this](log::Level, const std::string& text) { texts.push_back(text); });
    log::flush();
    texts.clear();
  }
  ~Warnings() { log::set_sink(former_); }
  std::vector<std::string> texts;

 private:
  log::Sink former_;
};

std::string error_of(const std::string& path) {
  try {
    read_splotch_frames(read_splotch_parameters(path));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

const std::string kMinimal =
    "simtype=0\nnum_blocks=6\nx=1\ny=2\nz=3\nr=4\nI=5\nC1=6\npalette0=a.pal\ninfile=in.bin\n"
    "outfile=out_\ncamera_x=1\ncamera_y=2\ncamera_z=3\nlookat_x=4\nlookat_y=5\nlookat_z=6\n";

std::optional<SplotchParameters> shared_scene(const std::string& name) {
  const auto path = test::shared_data("data/splotch/" + name + "/scene.par");
  if (!path) return std::nullopt;
  return read_splotch_parameters(path->string());
}

}  // namespace

TEST_CASE("edit distance counts edits and swaps", "[splotch_parameters]") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("brigthness", "brightness") == 1);  // a swap, not two replacements
  CHECK(edit_distance("ca", "abc") == 3);                 // no part edited twice
  const std::vector<std::string> known{"xres", "yres", "zmin"};
  CHECK(nearest_word("XRES", known) == "xres");
  CHECK(nearest_word("zmim", known) == "zmin");
  CHECK_FALSE(nearest_word("telescope", known));
  CHECK_FALSE(nearest_word("a", std::vector<std::string>{"x"}));  // nothing in common
}

TEST_CASE("the seven Splotch scenes parse without a warning", "[splotch_parameters]") {
  Warnings warnings;
  const auto log_scene = shared_scene("s01_perspective_log");
  if (!log_scene) return;
  const SplotchParameters& p = *log_scene;
  CHECK(p.simtype == SplotchInput::RawTable);
  CHECK(p.num_blocks == 8);
  CHECK(std::vector{p.x, p.y, p.z, p.r, p.I, p.C1, p.C2, p.C3} ==
        std::vector{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK_FALSE(p.swap_endian);
  CHECK_FALSE(p.periodic);
  CHECK(p.ptypes == 1);
  CHECK(p.types[0].color_log);
  CHECK_FALSE(p.types[0].color_asinh);
  CHECK(p.types[0].palette == "fire.pal");
  CHECK(p.types[0].brightness == 4);
  CHECK_FALSE(p.types[0].color_min);
  CHECK(p.a_eq_e);
  CHECK(p.gray_absorption == 0.0001);
  CHECK(p.pictype == SplotchPicture::Ppm);
  CHECK(p.projection);
  CHECK(p.camera == std::array<double, 3>{5, -9, 5});
  CHECK(p.lookat == std::array<double, 3>{5, 5, 5});
  CHECK(p.zmax == 1e23);
  CHECK(p.infile == "input.bin");

  const auto ortho = shared_scene("s02_orthographic_asinh");
  CHECK(ortho->types[0].color_asinh);
  CHECK_FALSE(ortho->projection);
  CHECK(ortho->fov == 30);
  CHECK(ortho->xres == 300);
  CHECK(ortho->yres == 180);

  const auto vector = shared_scene("s03_vector_color");
  CHECK(vector->types[0].color_is_vector);
  CHECK(vector->types[0].color_min == -3);
  CHECK(vector->types[0].color_max == 40);

  const auto absorption = shared_scene("s04_absorption");
  CHECK_FALSE(absorption->a_eq_e);
  CHECK(absorption->gray_absorption == 0.15);
  CHECK(absorption->sort_type == SplotchSort::Depth);

  const auto gamma = shared_scene("s05_zrange_roll_gamma");
  CHECK(gamma->zmin == 11);
  CHECK(gamma->zmax == 16);
  CHECK(gamma->sky == std::array<double, 3>{0.5, 0.1, 0.8});
  CHECK(gamma->pic_gamma == 0.7);
  CHECK(gamma->pic_contrast == 1.3);
  CHECK(gamma->pic_brightness == 0.02);

  const auto large = shared_scene("s06_close_large");
  CHECK(large->types[0].intensity_log);
  CHECK(large->fov == 70);
  CHECK(large->types[0].color_max == 2.5);

  const auto gas = shared_scene("s07_gas_temperature");
  CHECK(gas->num_blocks == 6);
  CHECK(gas->C2 == 0);
  const auto table = splotch_raw_table(*gas);
  CHECK(table.columns_per_row == 6);
  CHECK(std::vector{table.x, table.y, table.z, table.radius, table.intensity} ==
        std::vector{1, 2, 3, 4, 5});
  CHECK(std::vector{table.color[0], table.color[1], table.color[2]} == std::vector{6, 0, 0});
  CHECK_FALSE(table.swap_endian);
  CHECK(gas->types[0].intensity_min == -9.5);
  CHECK(gas->types[0].brightness == 0.12);

  for (const auto* scene : {&p, &*ortho, &*vector, &*absorption, &*gamma, &*large, &*gas}) {
    const auto frames = read_splotch_frames(*scene);
    REQUIRE(frames.size() == 1);
    CHECK(frames[0].picture == "golden_0000.ppm");
    CHECK(fs::exists(find_splotch_file(*scene, "input.bin")));  // beside the parameter file
  }
  CHECK(warnings.texts.empty());
}

TEST_CASE("defaults are Splotch's", "[splotch_parameters]") {
  const Scratch scratch;
  const auto raw = read_splotch_parameters(scratch.write("a.par", "simtype=0\nxres=640\n"));
  CHECK(raw.yres == 640);
  CHECK(raw.swap_endian);
  CHECK(raw.periodic);
  CHECK(raw.fov == 45);
  CHECK(raw.minrad_pix == 1);
  CHECK(raw.gray_absorption == 0.2);
  CHECK(raw.pictype == SplotchPicture::Tga);
  CHECK(raw.sky == std::array<double, 3>{0, 0, 1});
  const auto gadget =
      read_splotch_parameters(scratch.write("b.par", "simtype=8\nptypes=3\nptype2=4\n"));
  CHECK_FALSE(gadget.swap_endian);
  CHECK(gadget.xres == 800);
  REQUIRE(gadget.types.size() == 3);
  CHECK(gadget.types[2].ptype == 4);
  CHECK(gadget.types[1].size_fix == 1);
}

TEST_CASE("blanks, comments, CRLF and a byte order mark are tolerated", "[splotch_parameters]") {
  const Scratch scratch;
  Warnings warnings;
  const auto p = read_splotch_parameters(scratch.write(
      "a.par",
      "\xEF\xBB\xBF# made on Windows\r\n\r\n  xres =\t320  # wide\r\nyres=+200\r\ncolorbar=TRUE\r\n"
      "projection=.false.\r\ninfile= my file.bin \r\n   # end"));
  CHECK(p.xres == 320);
  CHECK(p.yres == 200);
  CHECK(p.colorbar);
  CHECK_FALSE(p.projection);
  CHECK(p.infile == "my file.bin");
  CHECK(warnings.texts.empty());
}

TEST_CASE("odd lines are warned of with their line number", "[splotch_parameters]") {
  const Scratch scratch;
  Warnings warnings;
  const auto path = scratch.write("odd.par",
                                  "xres=100\nbrigthness0=4\ntelescope_diameter=8\nyres 20\n"
                                  "xres=200\npalete12=a.pal\nbrightness=3\nsize_label0=HSML\n"
                                  "simtype=8\nverbosity=2\nbrightness99999999999=1\n");
  const auto p = read_splotch_parameters(path);
  CHECK(p.xres == 200);
  CHECK(p.types[0].brightness == 1);
  REQUIRE(warnings.texts.size() == 8);
  CHECK(warnings.texts[0] == path +
                                 ":2: 'brigthness0' is not a Splotch parameter and has no effect; "
                                 "did you mean 'brightness0'?");
  CHECK(warnings.texts[1] ==
        path + ":3: 'telescope_diameter' is not a Splotch parameter and has no effect");
  CHECK(warnings.texts[2] == path + ":4: 'yres 20' is not of the form key=value and has no effect");
  CHECK(warnings.texts[3] == path + ":5: xres stands in line 1 already; this later line wins");
  CHECK_THAT(warnings.texts[4], Catch::Matchers::Contains("did you mean 'palette12'?"));
  CHECK_THAT(warnings.texts[5], Catch::Matchers::Contains("did you mean 'brightness0'?"));
  CHECK_THAT(warnings.texts[6], Catch::Matchers::Contains(":11: 'brightness99999999999'"));
  CHECK_THAT(warnings.texts[7], Catch::Matchers::Contains("size_fix0 is not given and then is 1"));
}

TEST_CASE("malformed values name file, line, key and value", "[splotch_parameters]") {
  const Scratch scratch;
  const std::pair<std::string, std::string> cases[] = {
      {"fov=fifty", ":1: parameter fov has the value 'fifty'; it should be a number"},
      {"fov=45deg", ":1: parameter fov has the value '45deg'; it should be a number"},
      {"fov=180", ":1: parameter fov has the value '180'; it should be an angle between 0 and"},
      {"zmax=inf", ":1: parameter zmax has the value 'inf'; it should be a number"},
      {"zmax=nan", ":1: parameter zmax has the value 'nan'; it should be a number"},
      {"xres=", ":1: parameter xres has the value ''; it should be a whole number"},
      {"xres=0", ":1: parameter xres has the value '0'; it should be a whole number from 1 to"},
      {"xres=800.5", ":1: parameter xres has the value '800.5'"},
      {"a_eq_e=maybe", ":1: parameter a_eq_e has the value 'maybe'; it should be T or F"},
      {"\n\nbrightness3=x", ":3: parameter brightness3 has the value 'x'"},
      {"sort_type=5", ":1: parameter sort_type has the value '5'; it should be 0 (none), 1"},
      {"pictype=1", ":1: parameter pictype has the value '1'; it should be 0 (TGA), 2"},
      {"simtype=13", ":1: parameter simtype has the value '13'; it should be 0 (raw float table)"},
      {"minrad_pix=-1", ":1: parameter minrad_pix has the value '-1'"}};
  for (const auto& [text, message] : cases) {
    const auto path = scratch.write("bad.par", text + "\n");
    CHECK_THAT(error_of(path), Catch::Matchers::StartsWith(path + message));
  }
  CHECK_THAT(error_of(scratch.path("absent.par")), Catch::Matchers::Contains("cannot be opened"));
  CHECK_THAT(error_of(scratch.path("")), Catch::Matchers::Contains("this is a folder"));
  CHECK_THAT(error_of(scratch.write("binary.par", std::string("a=1\n\0\0x", 7))),
             Catch::Matchers::Contains("not a text file"));
  CHECK_THAT(error_of(scratch.write("empty.par", "")), Catch::Matchers::Contains("no key=value"));
}

TEST_CASE("keys that would change the picture are errors unless harmless", "[splotch_parameters]") {
  const Scratch scratch;
  const auto path = scratch.path("a.par");
  for (const char* line : {"EyeSeparation=2", "panorama=T", "dome=true", "boost=TRUE",
                           "interpolation_mode=1", "geometry_file=fly.txt"}) {
    scratch.write("a.par", kMinimal + line + "\n");
    CHECK_THAT(error_of(path), Catch::Matchers::StartsWith(path + ":18: parameter " + line));
    CHECK_THAT(error_of(path),
               Catch::Matchers::Contains("which haloscope does not support yet; remove the line"));
  }
  for (const char* line : {"EyeSeparation=0.0", "panorama=F", "dome=false", "boost=FALSE",
                           "interpolation_mode=0", "readparallel=4", "print_logfile=T"}) {
    scratch.write("a.par", kMinimal + line + "\n");
    CHECK(error_of(path) == "no error");
  }
}

TEST_CASE("every supported key can be set", "[splotch_parameters]") {
  Warnings warnings;
  int supported = 0;
  for (const SplotchKey& key : splotch_keys()) {
    if (key.status != SplotchKeyStatus::Supported && key.status != SplotchKeyStatus::FixedInScenes)
      continue;
    ++supported;
    const std::string name = std::string(key.name) + (key.per_type ? "2" : "");
    const bool zero = key.name == "simtype" || key.name == "pictype";
    SplotchParameters p;
    CHECK_NOTHROW(apply_splotch_parameter(p, name, zero ? "0" : "1", "here:1"));
    CHECK(p.has(name));
    CHECK((!key.per_type || p.types.size() == 3));
  }
  CHECK(supported > 70);
  CHECK(warnings.texts.empty());
}

TEST_CASE("keys that Splotch requires are named when missing", "[splotch_parameters]") {
  const Scratch scratch;
  for (const std::string key : {"camera_x", "camera_z", "lookat_y", "infile", "outfile", "simtype",
                                "num_blocks", "C1", "palette0"}) {
    const auto at = kMinimal.find(key + "=");
    std::string text = kMinimal;
    text.erase(at, text.find('\n', at) + 1 - at);
    const auto path = scratch.write("a.par", text);
    CHECK_THAT(error_of(path),
               Catch::Matchers::StartsWith(path + ": parameter " + key + " is missing"));
  }
  CHECK_THAT(error_of(scratch.write("b.par", kMinimal + "C3=7\n")),
             Catch::Matchers::Contains("C3 is column 7, but a row has num_blocks=6"));
  CHECK_THAT(error_of(scratch.write("c.par", kMinimal + "center_x=1\n")),
             Catch::Matchers::Contains("parameter center_y is missing"));
}

TEST_CASE("what has the camera's axes must not be where the camera looks", "[splotch_parameters]") {
  const Scratch scratch;
  const auto p = read_splotch_parameters(scratch.write("a.par", kMinimal));
  const auto keys = [](const char* prefix, const std::array<double, 3>& at) {
    std::string text;
    for (std::size_t c = 0; c < 3; ++c)
      text += prefix + std::string(1, "xyz"[c]) + "=" + std::to_string(at[c]) + "\n";
    return text;
  };
  const auto at_target = keys("camera_", p.lookat);
  CHECK_THAT(error_of(scratch.write("b.par", kMinimal + at_target)),
             Catch::Matchers::Contains("camera and lookat are the same point"));
  // One eye may be there, the middle between both may not.
  CHECK(error_of(scratch.write("c.par", kMinimal + keys("center_", p.camera) + at_target)) ==
        "no error");
  CHECK_THAT(error_of(scratch.write("d.par", kMinimal + keys("center_", p.lookat))),
             Catch::Matchers::Contains("center and lookat are the same point"));
}

TEST_CASE("snapshot names follow Splotch", "[splotch_parameters]") {
  const Scratch scratch;
  auto p = read_splotch_parameters(scratch.write(
      "a.par", "simtype=8\ninfile=snap_\ndatadir=/data\nsnapdir=snapdir_\nfidx=7.5\n"));
  CHECK(splotch_snapshot_path(p) == "/data/snapdir_007/snap_007.hdf5");
  p.numfiles = 4;
  p.snapshot_spacing = 5;
  CHECK(splotch_snapshot_path(p) == "/data/snapdir_005/snap_005.0.hdf5");
  p.simtype = SplotchInput::GadgetBinary;
  p.snapshot_base1 = 12;
  CHECK(splotch_snapshot_path(p) == "/data/snapdir_012/snap_012.0");
  p.simtype = SplotchInput::RawTable;
  CHECK(splotch_snapshot_path(p) == "snap_");
}

TEST_CASE("scene files give one frame per line", "[splotch_parameters]") {
  const Scratch scratch;
  Warnings warnings;
  scratch.write("fly.txt",
                "camera_x camera_y fidx brightness0 outfile brightnes0\r\n"
                "10 20 0 2.5 a 1\r\n\r\n11 21 0.25 3 b 1\r\n12 22 1 4 c 1\r\n13 23 1 5 d 1\r\n");
  const auto path = scratch.write("a.par", kMinimal + "scene_file=fly.txt\nfov=33\n");
  auto p = read_splotch_parameters(path);
  auto frames = read_splotch_frames(p);
  REQUIRE(frames.size() == 4);
  CHECK(frames[0].parameters.camera == std::array<double, 3>{10, 20, 3});
  CHECK(frames[1].parameters.types[0].brightness == 3);
  CHECK(frames[1].parameters.fidx == 0.25);
  CHECK(frames[3].parameters.fov == 33);
  CHECK(frames[3].picture == "out_0003.tga");
  CHECK(frames[1].same_snapshot);
  REQUIRE(warnings.texts.size() == 2);
  CHECK_THAT(warnings.texts[0], Catch::Matchers::Contains("column 'outfile' has no effect"));
  CHECK_THAT(warnings.texts[1], Catch::Matchers::Contains("did you mean 'brightness0'?"));

  p.scene_start = 1;
  p.scene_incr = 2;
  frames = read_splotch_frames(p);
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].number == 1);
  CHECK(frames[1].parameters.camera[0] == 13);
  CHECK(frames[1].picture == "out_0003.tga");
  p.last_scene = 3;
  CHECK(read_splotch_frames(p).size() == 1);
  p.scene_start = 9;
  CHECK_THROWS_WITH(read_splotch_frames(p), Catch::Matchers::Contains("none of its 4 frames"));

  // Gadget input: a new snapshot where fidx passes a whole number.
  p.scene_start = 0;
  p.scene_incr = 1;
  p.last_scene = 100;
  p.simtype = SplotchInput::GadgetHdf5;
  frames = read_splotch_frames(p);
  CHECK(frames[1].same_snapshot);
  CHECK_FALSE(frames[2].same_snapshot);
}

TEST_CASE("faulty scene files are named with their line", "[splotch_parameters]") {
  const Scratch scratch;
  Warnings warnings;
  const auto path = scratch.write("a.par", kMinimal + "scene_file=fly.txt\n");
  const auto scene = scratch.path("fly.txt");
  CHECK_THAT(error_of(path), Catch::Matchers::Contains("the scene file cannot be opened"));
  scratch.write("fly.txt", "camera_x camera_y\n1 2\n3\n");
  CHECK_THAT(error_of(path), Catch::Matchers::StartsWith(
                                 scene + ":3: this row has 1 values, but there are 2 columns"));
  scratch.write("fly.txt", "camera_x camera_y\n1 2\n3 x\n");
  CHECK_THAT(error_of(path),
             Catch::Matchers::StartsWith(scene + ":3: parameter camera_y has the value 'x'"));
  scratch.write("fly.txt", "camera_x EyeSeparation\n1 0\n3 2\n");
  CHECK_THAT(error_of(path),
             Catch::Matchers::StartsWith(scene + ":3: parameter EyeSeparation=2 renders a stereo"));
  scratch.write("fly.txt", "camera_x camera_y\n");
  CHECK_THAT(error_of(path), Catch::Matchers::Contains("no frame in the scene file"));
  // The old format has no first line of names.
  scratch.write("fly.txt", "1 2 3 4 5 6 0 1 0 2.5\n7 2 3 4 5 6 0 0 1 3\n");
  const auto frames = read_splotch_frames(read_splotch_parameters(path));
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].parameters.sky == std::array<double, 3>{0, 1, 0});
  CHECK(frames[1].parameters.fidx == 3);
  CHECK(frames[1].parameters.camera[0] == 7);
}
