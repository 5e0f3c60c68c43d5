#include "analysis/halos/halo_options.h"
#include "app/session/beside_state.h"
#include "app/session/camera_motion.h"
#include "app/session/state_file.h"
#include "core/error.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <filesystem>
#include <fstream>

// The state as a file and the view as text.

using namespace haloscope::app::session;
using haloscope::test::OutputFolder;

namespace {

haloscope::analysis::HaloOptions busy_options() {
  haloscope::analysis::HaloOptions o;
  o.types = {"dm", "2"};
  o.attach = {"gas", "stars"};
  o.spacings = 0.15;
  o.epsilon = 4.5;
  o.min_points = 5;
  o.min_members = 100;
  o.sub_spacings = 0.1;
  o.sub_epsilon = 1. / 3;
  o.sub_min_points = 6;
  o.sub_min_members = 21;
  o.sub_halos = 0;
  o.algorithm = haloscope::compute::clusters::Algorithm::Grid;
  o.softening = 1e-3;
  return o;
}

// Nothing in it is as in a new one.
State busy_state() {
  State s;
  s.snapshots = {"a \"quoted\" name.hdf5", "b\\c\t.hdf5"};
  s.current = 1;
  s.camera = orbit(Camera{}, 17.3, 41.1);
  s.camera->center = {0.1 + 0.2, 1. / 3, 1e-300};
  s.camera->perspective = false;
  s.tiling = false;
  TypeState gas;
  gas.shown = false;
  gas.brightness = 0.1;
  gas.smoothing = 1.7;
  gas.field = "Temperature";
  gas.color_map = "viridis_r";
  gas.scale = Transform::Log;
  gas.limits = Limits{1e3, 3.3e7};
  s.types = {{0, gas}, {4, {}}};
  s.tone = {1.25, 0.1, 7.5, 2.2};
  s.overlays = {false, ScaleBar::Physical, false, true, true, false, true, false, true};
  s.finding("halos") = {busy_options(), true,       7,
                        true,           "distance", {"magma", Transform::Asinh, Limits{3, 4}}};
  s.finding("halos").births = Limits{10, 1e3};
  s.finding("halos").deaths = Limits{1. / 3, 2};
  s.slice.axis = 1;
  s.slice.position = 0.1 + 0.2;
  s.slice.opacity = 1. / 3;
  s.slice.look = {"magma", Transform::Log, Limits{0.1, 100}};
  s.selection.kind = SelectionKind::Value;
  s.selection.field = "Density";
  s.selection.limits = {1, 2};
  s.selection.low = {1, 2, 3};
  s.selection.high = {4, 5, 6};
  s.selection.center = {7, 8, 9};
  s.selection.radius = 0.3;
  s.selection.piece = 12;
  s.selection.follow_ids = true;
  s.selection.made_in = 1;
  auto search = busy_options();
  search.min_members = 50;
  s.selection.search = search;
  s.bookmarks = {{"the cluster", *s.camera}, {"void", {}}};
  s.path = {{0, *s.camera, 0.5, Limits{1, 2}, 0}, {2.5, {}, 0, {}, 1.5}};
  s.width = 3840;
  s.height = 2160;
  s.ui_scale = 1.5;
  s.layout = {false, false,         false, InspectorPage::Film, InspectorPage::Find,
              true,  ShelfTab::Log, 0.45};
  return s;
}

std::string fault_of(const std::string& text) {
  try {
    parse_state(text, "s.toml");
  } catch (const haloscope::BadFile& error) {
    return error.what();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("a state comes back from its file to the bit") {
  const OutputFolder folder;
  save_state(busy_state(), folder.path("state.toml"));
  const ReadState read = load_state(folder.path("state.toml"));
  CHECK(read.state == busy_state());
  CHECK(read.warnings.empty());
  CHECK(parse_state(state_text(State{}), "new").state == State{});
}

TEST_CASE("a search in a state of an older program is that of dark matter alone") {
  const std::string old =
      "version = 1\n[halos]\nspacings = 0.15\nepsilon = 2.5\nmin_points = 1\nmin_members = 40\n"
      "[selection]\nspacings = 0.3\nmin_points = 4\nmin_members = 50\n";
  const ReadState read = parse_state(old, "s.toml");
  CHECK(read.warnings.empty());
  haloscope::analysis::HaloOptions search;
  search.spacings = 0.15;
  search.epsilon = 2.5;
  search.min_points = 1;  // which the search refuses
  search.min_members = 40;
  CHECK(read.state.finding("halos").options == search);
  const auto& selected = read.state.selection.search.as<haloscope::analysis::HaloOptions>();
  CHECK(selected.spacings == 0.3);
  CHECK(selected.attach.empty());
  // What is not chosen is not written: programs of before read what they know.
  const std::string text = state_text(State{});
  CHECK(text.find("spacings = 0.2\nmin_points = 2\nmin_members = 32\nsearched") !=
        std::string::npos);
}

TEST_CASE("what is said of halos stands where programs of before look for it") {
  State state;
  haloscope::analysis::HaloOptions options;
  options.attach = {"gas"};
  options.epsilon = 0.5;
  state.finding("halos") = {options, true, 3, true, ""};
  state.overlays.pieces = false;
  state.selection.kind = SelectionKind::Piece;
  state.selection.piece = 12;
  state.selection.search = options;
  const std::string text = state_text(state);
  CHECK(text.find("\naxes = false\nhalos = false\nlabels = false\n") != std::string::npos);
  CHECK(text.find("\n[halos]\nattach = [\"gas\"]\nspacings = 0.2\nepsilon = 0.5\nmin_points = 2\n"
                  "min_members = 32\nsearched = true\nselected = 3\ncolor_particles = true\n\n") !=
        std::string::npos);
  CHECK(text.find("\n[selection]\nkind = \"halo\"\nlow = [0, 0, 0]\nhigh = [0, 0, 0]\n"
                  "center = [0, 0, 0]\nradius = 0\nhalo = 12\nlimits = [0, 0]\n"
                  "follow_ids = false\nmade_in = 0\nattach = [\"gas\"]\nspacings = 0.2\n"
                  "epsilon = 0.5\nmin_points = 2\nmin_members = 32\n\n[window]") !=
        std::string::npos);
}

TEST_CASE("a state finds its snapshots from another working folder") {
  const OutputFolder folder;
  std::filesystem::create_directory(folder.path("sub"));
  haloscope::test::put_bytes(folder.path("sub/a.hdf5"), "");
  State state;
  haloscope::test::put_bytes(folder.path("sub/b.hdf5"), "");
  const auto found = [&](const std::vector<std::string>& names) {
    state.snapshots = names;
    save_state(state, folder.path("sub/state.toml"));
    ReadState read = load_state(folder.path("sub/state.toml"));
    find_snapshots(read, folder.path("sub/state.toml"));
    CHECK((read.state.snapshots == names) == read.warnings.empty());
    return read.state.snapshots;
  };
  using Names = std::vector<std::string>;
  CHECK(found({"a.hdf5", "b.hdf5"}) == Names{folder.path("sub/a.hdf5"), folder.path("sub/b.hdf5")});
  // All or none: two runs must not make one series.
  CHECK(found({"a.hdf5", "gone.hdf5"}) == Names{"a.hdf5", "gone.hdf5"});
  CHECK(found({folder.path("sub/a.hdf5")}) == Names{folder.path("sub/a.hdf5")});
  // Names that count from a folder above the state's, where it was saved.
  CHECK(found({"sub/a.hdf5", "sub/b.hdf5"}) ==
        Names{folder.path("sub/a.hdf5"), folder.path("sub/b.hdf5")});
  CHECK(found({"other/a.hdf5"}) == Names{"other/a.hdf5"});
}

TEST_CASE("palette files of a state are found beside it and above it") {
  const OutputFolder folder;
  std::filesystem::create_directories(folder.path("sub"));
  std::ofstream(folder.path("sub/mine.pal")) << "x";
  ReadState read;
  read.state.types[0].color_map = "mine.pal";
  read.state.types[1].color_map = "viridis";
  read.state.types[2].color_map = "maps/above.pal";
  read.state.types[4].color_map = "gone.pal";
  std::filesystem::create_directories(folder.path("maps"));
  std::ofstream(folder.path("maps/above.pal")) << "x";
  find_palettes(read, folder.path("sub/state.toml"));
  CHECK(read.state.types[0].color_map == folder.path("sub/mine.pal"));
  CHECK(read.state.types[1].color_map == "viridis");
  CHECK(std::filesystem::equivalent(read.state.types[2].color_map, folder.path("maps/above.pal")));
  CHECK(read.state.types[4].color_map == "gone.pal");
  CHECK(read.warnings.size() == 2);
}

TEST_CASE("unknown keys of a state are told with line and nearest name") {
  const ReadState read = parse_state(
      "version = 1\nsnapshot = []\n[tone]\nexposre = 2\n[types.0]\nqqq = 1\nbrightness = 2\n",
      "s.toml");
  REQUIRE(read.warnings.size() == 3);
  const std::string all = read.warnings[0] + read.warnings[1] + read.warnings[2];
  CHECK(all.find("s.toml:4: 'exposre' is unknown") != std::string::npos);
  CHECK(all.find("s.toml:2: 'snapshot' is unknown") != std::string::npos);
  CHECK(all.find("did you mean 'exposure'?") != std::string::npos);
  CHECK(all.find("s.toml:6: 'qqq'") != std::string::npos);
  CHECK(read.state.type(0).brightness == 2);
}

TEST_CASE("a damaged state gives one sentence with its line") {
  CHECK(fault_of("version = 1\n[camera]\ndistance = -1\n") ==
        "s.toml:3: 'distance' must be greater than 0");
  CHECK(fault_of("version = 1\n[camera]\nprojection = \"perspectve\"\n").find("did you mean") !=
        std::string::npos);
  CHECK(fault_of("version = 1\n[tone\n").find("s.toml:2") != std::string::npos);
  CHECK(fault_of("version = 2\n").find("program that wrote it") != std::string::npos);
  CHECK(fault_of("[camera]\n").find("no saved state") != std::string::npos);
  CHECK(fault_of("version = 1\ncurrent = 3\n").find("beyond the last") != std::string::npos);
  CHECK(fault_of("version = 1\n[types.gas]\n").find("number of a particle type") !=
        std::string::npos);
  CHECK(fault_of("version = 1\n[types.0]\nlimits = [2, 1]\n").find("smaller") != std::string::npos);
  CHECK(fault_of("version = 1\n[window]\nui_scale = 1e9\n").find("between") != std::string::npos);
  CHECK(fault_of("version = 1\n[camera]\nrotation = [0, 0, 0, 0]\n").find("no rotation") !=
        std::string::npos);
  CHECK(fault_of("version = 1\n[camera]\ndistance = inf\n").find("a number") != std::string::npos);
  CHECK(fault_of("version = 1\n[[key]]\ntime = 1\n[[key]]\ntime = 1\n").find("not later") !=
        std::string::npos);
}

TEST_CASE("every cut through a state file is refused or is a state") {
  const std::string whole = state_text(busy_state());
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    try {
      parse_state(whole.substr(0, size), "cut");
    } catch (const haloscope::BadFile&) {
    }
  }
  SUCCEED();
}

TEST_CASE("a view goes through the clipboard") {
  State other;
  other.snapshots = {"mine.hdf5"};
  other.types[3].brightness = 9;
  const State pasted = with_view(other, view_text(busy_state()));
  CHECK(pasted.camera == busy_state().camera);
  CHECK(pasted.types == busy_state().types);
  CHECK(pasted.tone == busy_state().tone);
  CHECK(pasted.tiling == busy_state().tiling);
  CHECK(pasted.snapshots == other.snapshots);
  for (const char* text : {"", "hello", "a = 1", "[[[", "version = 1"})
    CHECK_THROWS_WITH(with_view(other, text),
                      "there is no view of haloscope in the clipboard; copy one with Ctrl+C");
  CHECK_THROWS_AS(with_view(other, "haloscope_view = 1\n[camera]\nfov = 500\n"),
                  haloscope::BadFile);
}

TEST_CASE("a render request says what a state does") {
  State state;
  state.snapshots = {"s.hdf5"};
  state.camera = orbit(Camera{}, 30, 20);
  state.camera->distance = 7;
  state.types[0].field = "Density";
  state.types[4].shown = false;
  state.tone.exposure_ev = 1.5;
  const auto request = to_render_request(state);
  CHECK(request.snapshot == "s.hdf5");
  CHECK(request.choices == state.types);
  CHECK(request.exposure_ev == 1.5);
  CHECK(request.gamma == 1);
  // The picture is the same to the bit.
  const auto view = haloscope::render::choose_view({}, request.camera, 1280, 800);
  CHECK(view.eye == to_view(*state.camera, 1280, 800).eye);
  CHECK(view.up == to_view(*state.camera, 1280, 800).up);
  CHECK_FALSE(to_render_request(State{}).camera.any());
}
