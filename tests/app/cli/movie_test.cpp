#include "app/cli/movie.h"

#include "core/error.h"
#include "render/files/png_file.h"
#include "render/files/png_text.h"
#include "render/film/film.h"
#include "render/film/film_output.h"
#include "render/film/finished_frames.h"
#include "render/film/path_file.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>

// `haloscope movie` as a user runs it.

using namespace haloscope;
using haloscope::test::file_bytes;
using haloscope::test::message_of;
using haloscope::test::OutputFolder;
using haloscope::test::put_bytes;
using haloscope::test::run_program;

namespace {

std::string write_box(const OutputFolder& folder) {
  constexpr std::size_t kCount = 300;
  const std::string path = folder.path("box.hdf5");
  snapshot_files::FileWriter file(path);
  snapshot_files::write_header(file, {std::uint32_t(kCount), 0, 0, 0, 0, 0}, 10);
  file.group("PartType0");
  std::vector<float> masses(kCount, 1), lengths(kCount), heat(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    lengths[i] = 0.3f + 0.01f * float(i % 30);
    heat[i] = 5 + float(i % 11);
  }
  file.dataset("PartType0/Coordinates", {kCount, 3}, snapshot_files::some_positions(kCount, 10));
  file.dataset("PartType0/Masses", {kCount}, masses);
  file.dataset("PartType0/SmoothingLength", {kCount}, lengths);
  file.dataset("PartType0/Heat", {kCount}, heat);
  return path;
}

// Six frames: half around the box and nearer.
std::string write_orbit(const OutputFolder& folder, const std::string& more = {}) {
  const std::string path = folder.path("orbit.toml");
  put_bytes(path, "fps = 5\n[[key]]\ntime = 0\neye = [5, -20, 5]\ntarget = [5, 5, 5]\n" + more +
                      "[[key]]\ntime = 1\neye = [15, 5, 5]\n");
  return path;
}

std::vector<std::string> film(const std::string& snapshot, const std::string& path,
                              const std::string& output,
                              const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"movie", snapshot, "--path", path,       "-o",
                                 output,  "--size", "64x36",  "--device", "cpu"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// PATH as this folder alone, for its lifetime.
class OnlyPath {
 public:
  explicit OnlyPath(const std::string& folder) : former_(std::getenv("PATH")) {
    setenv("PATH", folder.c_str(), 1);
  }
  ~OnlyPath() { setenv("PATH", former_.c_str(), 1); }

 private:
  std::string former_;
};

void put_program(const std::string& path, const std::string& script) {
  put_bytes(path, "#!/bin/sh\n" + script);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

}  // namespace

TEST_CASE("a film's frames are render's pictures of the same view", "[app][movie]") {
  const OutputFolder folder;
  const std::string box = write_box(folder);
  const auto run = run_program(film(box, write_orbit(folder), folder.path("%03d.png")));
  INFO(run.err);
  REQUIRE(run.code == 0);
  REQUIRE(std::filesystem::exists(folder.path("005.png")));
  CHECK(!std::filesystem::exists(folder.path("006.png")));
  // Frame 0 has the automatic exposure, as a picture has.
  const auto one =
      run_program({"render", box, "-o", folder.path("one.png"), "--size", "64x36", "--device",
                   "cpu", "--eye", "5,-20,5", "--target", "5,5,5", "--deterministic"});
  REQUIRE(one.code == 0);
  CHECK(render::read_png(folder.path("000.png")).pixels ==
        render::read_png(folder.path("one.png")).pixels);
}

TEST_CASE("a film is the same bytes again, and in parts", "[app][movie]") {
  const OutputFolder folder;
  const std::string box = write_box(folder), path = write_orbit(folder);
  REQUIRE(run_program(film(box, path, folder.path("a%d.png"))).code == 0);
  REQUIRE(run_program(film(box, path, folder.path("b%d.png"), {"--from", "3"})).code == 0);
  REQUIRE(run_program(film(box, path, folder.path("b%d.png"), {"--to", "3"})).code == 0);
  for (const std::string n : {"0", "1", "2", "3", "4", "5"})
    CHECK(file_bytes(folder.path("a" + n + ".png")) == file_bytes(folder.path("b" + n + ".png")));
}

TEST_CASE("a film goes on after its finished frames", "[app][movie]") {
  const OutputFolder folder;
  const std::string box = write_box(folder), path = write_orbit(folder);
  const std::string output = folder.path("%d.png");
  REQUIRE(run_program(film(box, path, output, {"--to", "2"})).code == 0);
  const auto before = std::filesystem::last_write_time(folder.path("1.png"));
  const auto run = run_program(film(box, path, output));
  REQUIRE(run.code == 0);
  CHECK(run.says("3 of them were there already"));
  CHECK(std::filesystem::last_write_time(folder.path("1.png")) == before);
}

TEST_CASE("frames of other parameters are not kept silently", "[app][movie]") {
  const OutputFolder folder;
  const std::string box = write_box(folder), path = write_orbit(folder);
  const std::string output = folder.path("%d.png");
  REQUIRE(run_program(film(box, path, output, {"--to", "2"})).code == 0);
  const std::string before = file_bytes(folder.path("0.png"));

  const auto brighter = run_program(film(box, path, output, {"--exposure", "1"}));
  CHECK(brighter.is_fault());
  CHECK(brighter.says("another exposure"));
  CHECK(brighter.says("--overwrite"));
  CHECK(!std::filesystem::exists(folder.path("3.png")));
  CHECK(file_bytes(folder.path("0.png")) == before);

  REQUIRE(run_program(film(box, path, output, {"--exposure", "1", "--overwrite"})).code == 0);
  CHECK(file_bytes(folder.path("0.png")) != before);

  put_bytes(folder.path("4.png"), file_bytes(folder.path("3.png")).substr(0, 1000));
  const auto damaged = run_program(film(box, path, output, {"--exposure", "1"}));
  CHECK(damaged.is_fault());
  CHECK(damaged.says("damaged"));
}

TEST_CASE("exposure and limits do not change from frame to frame unless keyed", "[app][movie]") {
  const OutputFolder folder;
  const std::string box = write_box(folder);
  const std::string keyed = write_orbit(folder,
                                        "exposure = 1\nrange = [6, 8]\n[[key]]\ntime = 0.5\n"
                                        "range = [6, 12]\nexposure = 3\n");
  const auto run = run_program(film(box, keyed, folder.path("%d.png"), {"--color", "Heat:lin"}));
  INFO(run.err);
  REQUIRE(run.code == 0);
  std::vector<nlohmann::json> scenes;
  for (int n = 0; n < 6; ++n) {
    const auto text = render::read_png_text(folder.path(std::to_string(n) + ".png"));
    scenes.push_back(nlohmann::json::parse(text.at("Scene")));
    CHECK(scenes.back()["tone"] == scenes.front()["tone"]);
    CHECK(text.count("Command") == 0);
  }
  CHECK(scenes[0]["exposure"] == 1.);
  CHECK(scenes[0]["color"]["gas"]["range"] == nlohmann::json({6., 8.}));
  CHECK(scenes[3]["exposure"] == 3.);
  CHECK(scenes[5]["color"]["gas"]["range"] == nlohmann::json({6., 12.}));
  const double between = scenes[1]["color"]["gas"]["range"][1];
  CHECK(between > 8);
  CHECK(between < 12);
}

TEST_CASE("mistakes of a film are told before any work", "[app][movie]") {
  const OutputFolder folder;
  const std::string box = write_box(folder), path = write_orbit(folder);
  const auto fault = [&](const std::vector<std::string>& words, const std::string& part) {
    const auto run = run_program(words);
    INFO(run.err);
    CHECK(run.is_fault());
    CHECK(run.says(part));
  };
  fault(film(box, path, folder.path("frame.png")), "%05d");
  fault(film(box, path, folder.path("%s.png")), "%05d");
  fault(film(box, path, folder.path("%d_%d.png")), "%05d");
  fault(film(box, path, folder.path("%d.gif")), ".gif");
  fault(film(box, path, folder.path("f.gif")), "use .mp4, .mkv or .mov, or numbered frames");
  fault(film(box, path, folder.path("none/deeper/%d.png")), "none");
  // Nothing is made for a film that cannot be.
  fault(film(box, path, folder.path("none/%d.png"), {"--color", "Nothing"}), "Nothing");
  fault(film(box, path, folder.path("%d.png"), {"--from", "6"}), "frames 0 to 5");
  fault(film(box, folder.path("no.toml"), folder.path("%d.png")), "no.toml");
  fault(film(box, write_orbit(folder, "snapshot = 1\n"), folder.path("%d.png")), "snapshot 1");
  CHECK(folder.files() == std::vector<std::string>{"box.hdf5", "orbit.toml"});
}

TEST_CASE("a film makes the folder of its frames", "[app][movie]") {
  const OutputFolder folder;
  const auto run = run_program(
      film(write_box(folder), write_orbit(folder), folder.path("frames/%d.png"), {"--to", "1"}));
  INFO(run.err);
  CHECK(run.code == 0);
  CHECK(std::filesystem::exists(folder.path("frames/0.png")));
  CHECK(std::filesystem::exists(folder.path("frames/1.png")));
}

TEST_CASE("a film in one file needs ffmpeg, and says so first", "[app][movie]") {
  const OutputFolder folder, programs;
  const OnlyPath none(programs.path());
  const auto run = run_program(film("nothing.hdf5", write_orbit(folder), folder.path("film.mp4")));
  CHECK(run.is_fault());
  CHECK(run.says("error: ffmpeg: a film in one file is made by this program"));
  CHECK_FALSE(run.says(" -o "));
}

TEST_CASE("ffmpeg gets whole raw frames", "[app][movie]") {
  const OutputFolder folder, programs;
  // Stands in for ffmpeg: what comes in goes to the file that the last word names.
  put_program(programs.path("ffmpeg"), "for last; do :; done\nexec /bin/cat > \"$last\"\n");
  const std::string box = write_box(folder), path = write_orbit(folder);
  {
    const OnlyPath only(programs.path());
    const auto run = run_program(film(box, path, folder.path("film.mp4")));
    INFO(run.err);
    REQUIRE(run.code == 0);
  }
  REQUIRE(run_program(film(box, path, folder.path("%d.png"))).code == 0);
  const std::string raw = file_bytes(folder.path("film.mp4"));
  REQUIRE(raw.size() == 6 * 64 * 36 * 3);
  const Image8 last = render::read_png(folder.path("5.png"));
  CHECK(raw.substr(5 * 64 * 36 * 3) == std::string(last.pixels.begin(), last.pixels.end()));
}

TEST_CASE("several devices write one film together", "[app][movie][ranks]") {
  const OutputFolder folder, programs;
  put_program(programs.path("ffmpeg"), "for last; do :; done\nexec /bin/cat > \"$last\"\n");
  render::FilmRequest request;
  request.snapshots = {write_box(folder)};
  request.path = write_orbit(folder);
  request.picture.output = folder.path("film.mp4");
  request.picture.size = PixelSize{64, 36};
  request.picture.compute.device = "cpu";
  request.overwrite = true;
  const OnlyPath only(programs.path());
  const auto film_on = [&](std::size_t devices, render::FilmSplit split) {
    request.split = split;
    Progress progress;
    analysis::RunContext context{progress, [](const std::string&) {}, "haloscope movie"};
    app::cli::run_movie_on(std::vector<compute::Device>(devices, compute::Device::cpu()), request,
                           context);
    return file_bytes(folder.path("film.mp4"));
  };
  using render::FilmSplit;
  const std::string one = film_on(0, FilmSplit::Auto);
  REQUIRE(one.size() == 6 * 64 * 36 * 3);
  // Frames in whole rounds, and not.
  for (const std::size_t devices : {2, 3, 4, 8}) {
    INFO(devices << " devices");
    CHECK(film_on(devices, FilmSplit::Auto) == one);
  }
  CHECK(film_on(3, FilmSplit::Particles) == one);
  put_program(programs.path("ffmpeg"), "echo 'Unknown encoder libx264' >&2\nexit 1\n");
  for (const FilmSplit split : {FilmSplit::Frames, FilmSplit::Particles})
    CHECK_THAT(message_of([&] { film_on(2, split); }), Catch::Contains("Unknown encoder libx264"));
  request.picture.mode = compute::splotch::Mode::Classic;
  CHECK_THAT(message_of([&] { film_on(2, FilmSplit::Particles); }),
             Catch::StartsWith("--split particles: ranks cannot share the particles of classic "));
  request.snapshots.push_back(request.snapshots.front());
  CHECK_THAT(message_of([&] { film_on(2, FilmSplit::Particles); }),
             Catch::Contains("--split particles: ranks cannot share the particles of several "
                             "snapshots; take --split frames"));
}

TEST_CASE("ffmpeg's failure is told in its own last words", "[app][movie]") {
  const OutputFolder folder, programs;
  put_program(programs.path("ffmpeg"),
              "echo first >&2\necho 'Unknown encoder libx264' >&2\nexit 1\n");
  const std::string box = write_box(folder), path = write_orbit(folder);
  const OnlyPath only(programs.path());
  const auto run = run_program(film(box, path, folder.path("film.mp4")));
  CHECK(run.is_fault());
  CHECK(run.says("Unknown encoder libx264"));
  CHECK(folder.files() == std::vector<std::string>{"box.hdf5", "orbit.toml"});
}

TEST_CASE("an interrupted film leaves whole frames and says how to go on", "[app][movie]") {
  const OutputFolder folder;
  render::FilmRequest request;
  request.picture.snapshot = write_box(folder);
  request.picture.output = folder.path("%d.png");
  request.picture.size = ::PixelSize{64, 36};
  request.picture.compute.device = "cpu";
  request.path = write_orbit(folder);
  Progress* job = nullptr;
  Progress progress([&](const std::string& phase, double) {
    if (phase.starts_with("frame 4")) job->cancel();
  });
  job = &progress;
  analysis::RunContext context{progress, [](const std::string&) {}, "test"};
  std::string left;
  try {
    render::run_movie(request, context);
  } catch (const analysis::CancelledMidway& stopped) {
    left = stopped.what();
  }
  CHECK(left == "3 of 6 frames are written; the same command goes on with the next");
  CHECK(folder.files() ==
        std::vector<std::string>{"0.png", "1.png", "2.png", "box.hdf5", "orbit.toml"});
}

TEST_CASE("a film writes its path", "[app][movie]") {
  const OutputFolder folder;
  const std::string box = write_box(folder), path = write_orbit(folder);
  REQUIRE(run_program(
              film(box, path, folder.path("a%d.png"), {"--write-path", folder.path("orbit.scene")}))
              .code == 0);
  // The scene of that film gives the same frames.
  REQUIRE(run_program(film(box, folder.path("orbit.scene"), folder.path("b%d.png"), {"--fps", "5"}))
              .code == 0);
  for (const std::string n : {"0", "2", "5"})
    CHECK(render::read_png(folder.path("a" + n + ".png")).pixels ==
          render::read_png(folder.path("b" + n + ".png")).pixels);
}

TEST_CASE("times left are told in words", "[app][movie]") {
  CHECK(render::duration_in_words(4.2) == "4 s");
  CHECK(render::duration_in_words(200) == "3 min");
  CHECK(render::duration_in_words(7800) == "2 h 10 min");
}
