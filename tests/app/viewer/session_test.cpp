#include "app/session/recording.h"
#include "core/error.h"
#include "render/files/exr_file.h"
#include "render/files/png_file.h"
#include "tests/app/viewer/window_context.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/oracles/picture_distance.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <imgui.h>
#include <string>
#include <vector>

// Recorded sessions: what a user does, played without a display, and the window as it looked when
// somebody last judged it (tests/baselines/sessions/*.png). After a change that is meant to be
// seen:
//   HALOSCOPE_RENEW_BASELINES=1 build/cpu/tests/haloscope_tests "[session]"
// writes them anew; look at each before it is committed. $HALOSCOPE_TEST_PICTURES names a folder
// for what a failing session shows.

namespace haloscope {

namespace {

using test::PictureArea;

// Letters lie where this version of Dear ImGui puts them; another one moves them by pixels.
constexpr const char* kLetters = "1.86";

// The status line tells how long the picture took, and the memory.
constexpr PictureArea kStatus{0, 776, 1280, 24};
// The film's name: frames, or one file where ffmpeg is installed.
constexpr PictureArea kFilmName{986, 273, 190, 20};
// Peak memory, which depends on what ran before in the process, and how much was assumed: less
// where smoothing lengths were kept.
constexpr PictureArea kMemory{0, 400, 520, 44};
// A path, and files that others may have put there (kept smoothing lengths).
constexpr PictureArea kFolder{0, 28, 520, 232};

std::string sample() {
  return test::sample_file();
}

// Plays commands in a folder of their own, in which they write.
class Session {
 public:
  explicit Session(const std::string& commands, const std::vector<std::string>& options = {}) {
    test::put_bytes(folder.path("commands.txt"), commands);
    const auto former = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    std::vector<std::string> words{"view", sample(), "--headless",  "--device",
                                   "cpu",  "--run",  "commands.txt"};
    words.insert(words.end(), options.begin(), options.end());
    outcome = test::run_program(words);
    std::filesystem::current_path(former);
  }
  Image8 picture(const std::string& name) const { return render::read_png(folder.path(name)); }

  test::OutputFolder folder;
  test::Outcome outcome;
};

void compare(const Session& session, const std::string& name,
             const std::vector<PictureArea>& left_out) {
  // The baselines are pictures of all particles.
  if (!test::sample_is_whole()) return;
  namespace fs = std::filesystem;
  const std::string baseline = test::source_dir() + "/tests/baselines/sessions/" + name;
  const std::string seen = session.folder.path(name);
  if (std::getenv("HALOSCOPE_RENEW_BASELINES")) {
    fs::create_directories(fs::path(baseline).parent_path());
    fs::copy_file(seen, baseline, fs::copy_options::overwrite_existing);
    return;
  }
  const auto distance =
      test::picture_distance(session.picture(name), render::read_png(baseline), left_out);
  INFO(name << " differs by " << distance.detail << " in details, most near " << distance.x << " "
            << distance.y << ", and by " << distance.area << " in areas");
  const bool alike = test::look_alike(distance);
  CHECK(alike);
  if (const char* folder = std::getenv("HALOSCOPE_TEST_PICTURES"); folder && !alike)
    fs::copy_file(seen, std::string(folder) + "/" + name, fs::copy_options::overwrite_existing);
}

// Whether pictures of the window can be made and compared here.
bool can_compare() {
  if (!test::gl_context()) return false;
  if (std::string(IMGUI_VERSION) == kLetters) return true;
  test::skip(test::Needs::Window, std::string("the baselines were made with Dear ImGui ") +
                                      kLetters + ", this is " + IMGUI_VERSION);
  return false;
}

const char* const kLooks = R"(
screenshot open.png window
orbit 30 20
overlay box on
overlay axes on
inspector camera
screenshot orbit.png window
inspector look
color_map all viridis
limits gas 1e4 1e7
exposure 0.5
screenshot looks.png window
)";

const char* const kHalos = R"(
layout analyse
inspector find
find_halos
select_halo 3
wait
screenshot halos.png window
shelf off
fly_to_halo
select_box 48% 20% 50% 52% 24% 54%
inspector select
screenshot flown.png window
reset
add_key
orbit 60 -20
add_key
zoom 1.5
add_key
inspector film
inspector output pin
shelf time
screenshot path.png window
export_frames film-%05d.png 10 10 64x48 on
)";

const char* const kColors = R"(
inspector find
find_halos 0.2 32 2 100
color_by_halo on
select_halo 1
shelf plots
shelf_height 0.4
wait
screenshot colors.png window
)";

const char* const kSheets = R"(
panel keys
screenshot keys.png window
panel keys
panel file
screenshot file.png window
)";

}  // namespace

TEST_CASE("a session of looks shows what it showed", "[window][session]") {
  if (!can_compare()) return;
  const Session session(kLooks);
  INFO(session.outcome.err);
  REQUIRE(session.outcome.code == 0);
  compare(session, "open.png", {kStatus});
  compare(session, "orbit.png", {kStatus});
  compare(session, "looks.png", {kStatus});
}

TEST_CASE("a session with halos and a path shows what it showed", "[window][session]") {
  if (!can_compare()) return;
  const Session session(kHalos);
  INFO(session.outcome.err);
  REQUIRE(session.outcome.code == 0);
  compare(session, "halos.png", {kStatus});
  compare(session, "flown.png", {kStatus});
  compare(session, "path.png", {kStatus, kFilmName});
  std::vector<std::string> frames = session.folder.files();
  std::erase_if(frames, [](const std::string& name) { return !name.starts_with("film-"); });
  REQUIRE(frames.size() == 10);
  const Image8 first = session.picture(frames.front()), last = session.picture(frames.back());
  CHECK(first.width == 64);
  CHECK_FALSE(test::look_alike(test::picture_distance(first, last)));
}

TEST_CASE("a session with halos' colors and masses shows what it showed", "[window][session]") {
  if (!can_compare()) return;
  const Session session(kColors);
  INFO(session.outcome.err);
  REQUIRE(session.outcome.code == 0);
  compare(session, "colors.png", {kStatus});
}

TEST_CASE("the sheets of keys and of the file show what they showed", "[window][session]") {
  if (!can_compare()) return;
  const Session session(kSheets);
  INFO(session.outcome.err);
  REQUIRE(session.outcome.code == 0);
  compare(session, "keys.png", {kStatus});
  compare(session, "file.png", {kStatus, kMemory, kFolder});
}

TEST_CASE("a size holds for the pictures right behind it", "[window][session]") {
  if (!test::gl_context()) return;
  const Session session(
      "size 500 300\nscreenshot a.png window\nscreenshot b.png\nwait\nscreenshot c.png window\n"
      "screenshot d.png\nlayout present\nsize 300 400\nscreenshot e.png\n"
      "screenshot f.png window\n");
  INFO(session.outcome.err);
  REQUIRE(session.outcome.code == 0);
  const auto has_size = [&](const std::string& name, int width, int height) {
    const Image8 picture = session.picture(name);
    return picture.width == width && picture.height == height;
  };
  CHECK(has_size("a.png", 500, 300));
  CHECK(has_size("e.png", 300, 400));
  CHECK(has_size("f.png", 300, 400));
  CHECK(session.picture("a.png").pixels == session.picture("c.png").pixels);
  CHECK(session.picture("b.png").pixels == session.picture("d.png").pixels);
}

TEST_CASE("a state that is saved and loaded shows the same pixels", "[window][session]") {
  if (!test::gl_context()) return;
  const std::string looks =
      "orbit 20 -30\nzoom 1.7 0.1 0.05\ncolor_map gas viridis\nlimits gas 1e4 1e7\n"
      "exposure 0.7\noverlay axes on\noverlay labels on\nfind_halos 0.2 100\nselect_halo 2\nwait\n";
  const Session first(looks + "screenshot before.png\nsave_state state.toml\n");
  INFO(first.outcome.err);
  REQUIRE(first.outcome.code == 0);
  const Session second("wait\nscreenshot after.png\n",
                       {"--state", first.folder.path("state.toml")});
  INFO(second.outcome.err);
  REQUIRE(second.outcome.code == 0);
  const Image8 before = first.picture("before.png"), after = second.picture("after.png");
  REQUIRE(before.width == after.width);
  CHECK(before.pixels == after.pixels);
}

TEST_CASE("particles have the colors of their halos in stills, films and renderings alike",
          "[window][session]") {
  if (!test::gl_context()) return;
  const Session session(
      "color_by_halo on\nscreenshot none.png bare 320x200\nfind_halos 0.2 100\nwait\n"
      "screenshot halos.png bare 320x200\nsave_state state.toml\nadd_key 0\nadd_key 1\n"
      "export_frames film-%05d.png 1 1 320x200 off\nfind_halos 0.2 32 2 300\n"
      "screenshot others.png bare 320x200\ncolor_by_halo off\n"
      "screenshot own.png bare 320x200\nfind_halos 0.2 100000000\ncolor_by_halo on\n"
      "screenshot few.png bare 320x200\n");
  INFO(session.outcome.err << session.outcome.out);
  REQUIRE(session.outcome.code == 0);
  const auto pixels = [&](const std::string& name) { return session.picture(name).pixels; };
  CHECK(pixels("none.png") == pixels("own.png"));
  CHECK(pixels("few.png") == pixels("own.png"));
  CHECK(session.outcome.says("No halo was found"));
  const auto halos = pixels("halos.png");
  CHECK(halos != pixels("own.png"));
  CHECK(halos != pixels("others.png"));
  CHECK(halos == pixels("film-00000.png"));
  const auto rendered =
      test::run_program({"render", sample(), "--state", session.folder.path("state.toml"), "--size",
                         "320x200", "--device", "cpu", "-o", session.folder.path("render.png")});
  INFO(rendered.err);
  REQUIRE(rendered.code == 0);
  CHECK(rendered.says("halos of 100 members"));
  CHECK(halos == pixels("render.png"));
  const auto part = test::run_program(
      {"render", sample(), "--state", session.folder.path("state.toml"), "--every", "4", "--size",
       "32x20", "--device", "cpu", "-o", session.folder.path("part.png")});
  CHECK(part.code == 0);
  CHECK(part.says("keep their own colors"));
}

TEST_CASE("a slice lies over stills, films and renderings alike", "[window][session][slice]") {
  if (!test::gl_context()) return;
  const Session session(
      "find peaks grid=24\nwait\nscreenshot own.png bare 320x200\n"
      "orbit 30 10\nslice y 30%\nslice_opacity 0.6\ncolor_map slice magma\nwait\n"
      "screenshot slice.png bare 320x200\nsave_state state.toml\nadd_key 0\nadd_key 1\n"
      "export_frames film-%05d.png 1 1 320x200 off\nprojection orthographic\nwait\n"
      "screenshot flat.png bare 320x200\nsave_state flat.toml\n"
      "undo\nslice y 60%\nwait\nscreenshot other.png bare 320x200\nundo\nwait\n"
      "screenshot again.png bare 320x200\nslice off\nwait\nscreenshot off.png bare 320x200\n");
  INFO(session.outcome.err << session.outcome.out);
  REQUIRE(session.outcome.code == 0);
  const auto pixels = [&](const std::string& name) { return session.picture(name).pixels; };
  const auto slice = pixels("slice.png");
  CHECK(slice != pixels("off.png"));
  CHECK(slice != pixels("other.png"));
  CHECK(slice == pixels("again.png"));
  CHECK(slice == pixels("film-00000.png"));
  const auto rendered = [&](const std::string& state, const std::string& output) {
    const auto run =
        test::run_program({"render", sample(), "--state", session.folder.path(state), "--size",
                           "320x200", "--device", "cpu", "-o", session.folder.path(output)});
    INFO(run.err);
    REQUIRE(run.code == 0);
    CHECK(run.says("Over the picture lies the overdensity at y = 5400."));
    return pixels(output);
  };
  CHECK(slice == rendered("state.toml", "render.png"));
  CHECK(pixels("flat.png") == rendered("flat.toml", "render_flat.png"));
  // A state shows it again, in the window too.
  const Session again("wait\nscreenshot loaded.png bare 320x200\n",
                      {"--state", session.folder.path("state.toml")});
  REQUIRE(again.outcome.code == 0);
  CHECK(again.picture("loaded.png").pixels == slice);
}

TEST_CASE("what a file of commands does is recorded, and plays again", "[window]") {
  Session played("orbit 30 10\nfind halos min_members=100\nwait\n",
                 {"--record", "session.txt", "--size", "320x200"});
  INFO(played.outcome.err);
  REQUIRE(played.outcome.code == 0);
  std::vector<std::string> names;
  for (const auto& recorded : app::session::read_recording(played.folder.path("session.txt")))
    names.push_back(recorded.call.command->name);
  CHECK(names == std::vector<std::string>{"size", "open", "orbit", "find", "wait"});
  const auto again = test::run_program(
      {"view", "--headless", "--device", "cpu", "--replay", played.folder.path("session.txt")});
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(again.says(" halos\n"));
}

TEST_CASE("a run that keeps going ends with a fault where something failed", "[window]") {
  const std::vector<std::string> goes_on{"--keep-going", "--size", "64x48"};
  const Session good("orbit 30 10\n", goes_on);
  CHECK(good.outcome.code == 0);
  const Session bad("orbit 30\nselect_halo 3\nsave_state done.toml\n", goes_on);
  INFO(bad.outcome.err << bad.outcome.out);
  CHECK(bad.outcome.is_fault());
  CHECK(bad.outcome.says("2 commands failed"));
  CHECK(std::filesystem::exists(bad.folder.path("done.toml")));
}

TEST_CASE("limits of keys that were made with one type alone are left out of a film of several",
          "[window][session]") {
  if (!test::gl_context()) return;
  const Session session(
      "hide dm\nhide stars\nlimits gas 1e4 1e7\nadd_key 0\nadd_key 1\nshow all\n"
      "save_state state.toml\nexport_frames film-%d.png 1 1 64x40 off\nwait\n");
  INFO(session.outcome.err);
  REQUIRE(session.outcome.code == 0);
  CHECK(session.outcome.says("Limits of the path's keys are left out"));
  const auto movie = test::run_program(
      {"movie", sample(), "--state", session.folder.path("state.toml"), "--to", "0", "--size",
       "64x40", "--device", "cpu", "-o", session.folder.path("movie-%d.png")});
  INFO(movie.err);
  REQUIRE(movie.code == 0);
  CHECK(movie.says("Limits of the path's keys are left out"));
  CHECK(session.picture("film-0.png").pixels == session.picture("movie-0.png").pixels);
}

TEST_CASE("a shot of the window right after a change of size shows that size",
          "[window][session]") {
  if (!test::gl_context()) return;
  const Session session(
      "wait\nsize 700 500\nscreenshot at_once.png window\nwait\nscreenshot later.png window\n");
  INFO(session.outcome.err);
  REQUIRE(session.outcome.code == 0);
  const Image8 at_once = session.picture("at_once.png");
  CHECK(at_once.width == 700);
  CHECK(at_once.height == 500);
  // The picture; the status line's times are its own.
  const Image8 later = session.picture("later.png");
  REQUIRE(later.pixels.size() == at_once.pixels.size());
  for (int y = 0; y < 470; ++y) {
    const std::size_t row = std::size_t(y) * 700 * 3;
    REQUIRE(std::equal(at_once.pixels.begin() + long(row), at_once.pixels.begin() + long(row + 900),
                       later.pixels.begin() + long(row)));
  }
}

TEST_CASE("gamma and exposure of a state are those of every still and film of it",
          "[window][session]") {
  if (!test::gl_context()) return;
  const Session window(
      "size 160 100\nlayout present\noverlay color_bar off\noverlay scale_bar off\noverlay time "
      "off\n"
      "orbit 20 -30\ncolor_map gas viridis\nsave_state plain.toml\n"
      "exposure 1.5\ngamma 0.6\nsave_state state.toml\nadd_key 0\nadd_key 1\n"
      "save_path path.toml\nsave_state keyed.toml\nwait\nscreenshot window.png window\nscreenshot "
      "still.png bare\n"
      "screenshot light.exr bare\nexport_frames gui-%03d.png 1 1 160x100 off\nwait\n"
      "gamma 1\nscreenshot same_light.exr bare\nwait\n");
  INFO(window.outcome.err);
  REQUIRE(window.outcome.code == 0);
  const auto file = [&](const std::string& name) { return window.folder.path(name); };
  const auto run = [&](std::vector<std::string> words, const std::string& name) {
    words.insert(words.end(), {"-o", file(name), "--size", "160x100", "--device", "cpu"});
    const auto outcome = test::run_program(words);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return window.picture(name.find('%') == std::string::npos ? name : "movie-000.png").pixels;
  };
  const auto still = window.picture("still.png").pixels;
  const std::string state = file("state.toml");
  CHECK(run({"render", sample(), "--state", state}, "render.png") == still);
  CHECK(window.picture("gui-000.png").pixels == still);
  CHECK(run({"movie", sample(), "--state", state, "--path", file("path.toml"), "--to", "0"},
            "movie-%03d.png") == still);
  // A state's own path, unless another one is given.
  CHECK(run({"movie", sample(), "--state", file("keyed.toml"), "--to", "0", "--overwrite"},
            "movie-%03d.png") == still);
  CHECK(test::run_program({"movie", sample(), "--state", state, "-o", file("x-%d.png")})
            .says("no keys of a path"));
  CHECK(test::run_program({"movie", sample(), "-o", file("x-%d.png")}).says("path is missing"));
  // The window's picture is OpenGL's arithmetic: a step of a byte.
  const auto seen = window.picture("window.png").pixels;
  REQUIRE(seen.size() == still.size());
  int worst = 0;
  for (std::size_t i = 0; i < seen.size(); ++i)
    worst = std::max(worst, std::abs(int(seen[i]) - int(still[i])));
  CHECK(worst <= 1);
  // An option wins, though its value be what would hold without it.
  const auto plain = run({"render", sample(), "--state", file("plain.toml")}, "plain.png");
  CHECK(plain != still);
  CHECK(run({"render", sample(), "--state", state, "--exposure", "0", "--gamma", "1"}, "off.png") ==
        plain);
  CHECK(render::read_exr(file("light.exr")).pixels ==
        render::read_exr(file("same_light.exr")).pixels);
}

TEST_CASE("render draws the overlays of a still to the same pixels", "[window][session]") {
  if (!test::gl_context()) return;
  const Session window(
      "size 480 300\nlayout present\norbit 20 -30\noverlay axes on\noverlay labels on\n"
      "find halos min_members=20\nwait\nselect halos 0\nselect_sphere 0.5 0.5 0.5 0.2\n"
      "color_by halos\nsave_state state.toml\nwait\nscreenshot still.png\nwait\n"
      "screenshot bare.png bare\nwait\noverlay physical_scale_bar on\nwait\nscreenshot "
      "two.png\nwait\n"
      "overlay physical_scale_bar off\noverlay axes off\noverlay time off\n"
      "overlay color_bar off\noverlay pieces off\noverlay labels off\noverlay selection off\n"
      "overlay physical_scale_bar on\nwait\nscreenshot one.png\nwait\n"
      "overlay physical_scale_bar off\nadd_key 0\norbit 60 0\nadd_key 2\norbit -30 20\nzoom 0.1\n"
      "wait\nscreenshot no_path.png\noverlay path on\nsave_state path.toml\nwait\n"
      "screenshot path.png\nwait\n");
  INFO(window.outcome.err);
  REQUIRE(window.outcome.code == 0);
  const auto render = [&](const std::string& overlays, const std::string& output,
                          const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{
        "render",     sample(),  "--state",  window.folder.path("state.toml"),
        "--size",     "480x300", "--device", "cpu",
        "--overlays", overlays,  "-o",       window.folder.path(output)};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_program(words);
  };
  const auto drawn = [&](const std::string& overlays) {
    const auto outcome = render(overlays, "render.png", {"--overwrite"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return window.picture("render.png").pixels;
  };
  const auto alike = [](const auto& a, const auto& b) {  // without a list of all pixels
    return a == b;
  };
  const auto still = window.picture("still.png").pixels;
  REQUIRE_FALSE(alike(still, window.picture("bare.png").pixels));
  CHECK(alike(drawn("usual"), still));
  CHECK(alike(drawn("physical_scale_bar,usual"), window.picture("two.png").pixels));
  CHECK(alike(drawn("physical_scale_bar"), window.picture("one.png").pixels));

  // The camera path is drawn where that is asked for.
  const auto path = window.picture("path.png").pixels;
  REQUIRE_FALSE(alike(path, window.picture("no_path.png").pixels));
  const auto with_path = [&](const std::string& overlays) {
    const auto outcome =
        test::run_program({"render", sample(), "--state", window.folder.path("path.toml"), "--size",
                           "480x300", "--device", "cpu", "--overlays", overlays, "--overwrite",
                           "-o", window.folder.path("render.png")});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return window.picture("render.png").pixels;
  };
  CHECK(alike(with_path("path"), path));
  CHECK(alike(with_path("usual"), path));
  CHECK(render("path", "x.png").says("there is no camera path that could be drawn"));

  const auto unknown = render("axis", "x.png");
  CHECK(unknown.code != 0);
  CHECK(unknown.says("'axis' is no overlay"));
  CHECK(test::run_program({"render", sample(), "--overlays", "pieces", "-o",
                           window.folder.path("x.png"), "--size", "48x30", "--device", "cpu"})
            .says("give the state of a session that has searched"));
  CHECK(render("axes", "x.exr").says("holds light, and no overlays"));
  CHECK(render("axes", "x.hdf5", {"--map", "surface-density"}).says("no overlays"));
  CHECK(render("axes", "x.png", {"--mode", "classic"}).says("mirrored"));
  CHECK_FALSE(std::filesystem::exists(window.folder.path("x.png")));
}

}  // namespace haloscope
