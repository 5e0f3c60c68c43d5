// Fields that an analysis found, which only the tests know: how they are colored, written, and what
// particles are selected by their values.

#include "app/session/command_table.h"
#include "app/session/state_file.h"
#include "io/loading/particle_loader.h"
#include "io/snapshot_reader.h"
#include "render/files/png_file.h"
#include "tests/app/added_slabs.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"
#include "tests/oracles/hdf5_contents.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace haloscope {

namespace {

using Added = test::AddedSlabs;
using Words = std::vector<std::string>;

// A field of which no particle has a value.
class GapFinder final : public analysis::FinderOf<test::SlabOptions> {
 public:
  GapFinder() : FinderOf({"gaps", "", "", "Finds nothing", "There is none."}) {}
  analysis::Finding search(const io::SnapshotReader& reader, const test::SlabOptions&,
                           const analysis::FindRequest&, Progress&) const override {
    analysis::Finding finding;
    analysis::ParticleField& gap = finding.fields["gap"];
    gap.limits = {0, 1};
    gap.values[0].assign(reader.info().types.at(0).count, NAN);
    finding.plots = {analysis::field_plot("gap", gap)};
    finding.summary = "no gap";
    return finding;
  }
};

std::vector<std::uint8_t> pixels(const Added& added, const std::string& name) {
  return render::read_png(added.folder.path(name)).pixels;
}

}  // namespace

TEST_CASE("a field that was found has limits, a scale and a palette as a stored one has",
          "[finders]") {
  const Added added;
  app::session::State state;
  test::FakeActions actions;
  actions.facts.finding_fields["slabs"] = {{"x", app::session::Transform::Linear},
                                           {"y", app::session::Transform::Log}};
  const auto run = [&](const std::string& line) {
    app::session::run_command(line, state, actions);
  };
  const auto look = [&] { return state.finding("slabs").look; };
  CHECK_THROWS_WITH(run("limits slabs 1 2"),
                    "limits: no field of slabs colors the particles: color_by slabs FIELD first");
  run("color_by slabs x");
  run("limits slabs -1 2");
  run("color_map slabs magma");
  CHECK(look().limits == app::session::Limits{-1, 2});
  CHECK(look().color_map == "magma");
  CHECK_THROWS_AS(run("scale slabs log"), Error);
  CHECK_THROWS_AS(run("color_map slabs magna"), Error);
  run("auto_limits slabs");
  CHECK_FALSE(look().limits);
  run("scale slabs toggle");
  CHECK(look().scale == app::session::Transform::Log);
  run("color_by slabs x");
  CHECK(look().scale == app::session::Transform::Log);
  // Another field has limits and a scale of its own.
  run("color_by slabs y");
  CHECK_FALSE(look().scale);
  CHECK(look().color_map == "magma");
  run("scale slabs toggle");
  CHECK(look().scale == app::session::Transform::Linear);
  CHECK(state.types.empty());
  run("limits gas 1 2");
  CHECK(state.types.at(0).limits == app::session::Limits{1, 2});
}

TEST_CASE("what is chosen of a found field is seen, and drawn again from a state",
          "[finders][window]") {
  const Added added;
  const auto run = added.view(
      "size 320 240\nfind slabs types=gas\nwait\ncolor_by slabs x\nwait\n"
      "screenshot own.png bare 160x120\nwait\ncolor_map slabs magma\nwait\n"
      "screenshot magma.png bare 160x120\nwait\nlimits slabs 40000 50000\nwait\n"
      "screenshot narrow.png bare 160x120\nwait\nsave_state narrow.toml\n"
      "color_map slabs auto\nauto_limits slabs\nwait\nscreenshot again.png bare 160x120\nwait\n");
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  const auto differ = [&](const std::string& a, const std::string& b) {
    return pixels(added, a) != pixels(added, b);
  };
  CHECK(differ("own.png", "magma.png"));
  CHECK(differ("own.png", "narrow.png"));
  CHECK(differ("magma.png", "narrow.png"));
  CHECK_FALSE(differ("own.png", "again.png"));
  const auto drawn = added.run({"render", added.sample, "-o", "state.png", "--state", "narrow.toml",
                                "--size", "160x120", "--device", "cpu", "--overwrite"});
  INFO(drawn.out << drawn.err);
  REQUIRE(drawn.code == 0);
  CHECK_FALSE(differ("state.png", "narrow.png"));
}

TEST_CASE("a field that was found is written row by row", "[finders][window]") {
  const Added added;
  const analysis::AddedFinder height(std::make_shared<test::HeightFinder>());
  const auto window = added.view(
      "find height types=gas\nwait\nexport height h.hdf5\nwait\nexport height h.hdf5\nwait\n"
      "export height h.csv\nwait\nexport height h.csv\nwait\n");
  INFO(window.out << window.err);
  REQUIRE(window.code == 0);
  const auto program =
      added.run({"height", added.sample, "-o", "p.hdf5", "--types", "gas", "--device", "cpu"});
  INFO(program.out << program.err);
  REQUIRE(program.code == 0);
  const std::string written = added.folder.path("h.hdf5");
  CHECK(test::differences(written, added.folder.path("p.hdf5")) == Words{"Provenance@CommandLine"});
  const test::Hdf5Contents file(written), snapshot(added.sample);
  CHECK(file.all.at("PartType0/x@unit") == "code length");
  CHECK(file.all.count("PartType1/x") == 0);
  // In the order of the snapshot.
  const std::string& bytes = file.all.at("PartType0/x");
  std::vector<float> x(bytes.size() / sizeof(float));
  std::memcpy(x.data(), bytes.data(), bytes.size());
  Progress progress;
  const auto reader = io::open_snapshot(added.sample);
  io::LoadRequest load;
  load.types.push_back({0, {}, false, false});
  const ParticleSet gas = io::load_particles(*reader, load, progress);
  REQUIRE(x.size() == gas.types.front().count);
  for (const std::size_t row : {std::size_t(0), x.size() / 2, x.size() - 1})
    CHECK(x[row] == float(gas.domain.to_world(gas.types.front().position[0][row], 0)));
  const std::string table = added.text("h.csv");
  CHECK(table.starts_with("# haloscope particle fields\n"));
  CHECK(table.find("\ntype,row,x [code length]\n0,0,") != std::string::npos);
  CHECK(std::count(table.begin(), table.end(), '\n') == std::ptrdiff_t(x.size()) + 5);
  // A file of others stays.
  std::filesystem::copy_file(added.sample, added.folder.path("other.hdf5"));
  CHECK(added.view("find height types=gas\nwait\nexport height other.hdf5\nwait\n").code == 2);
}

TEST_CASE("particles are selected by the value of a field that was found", "[finders][window]") {
  const Added added;
  const auto run = added.view(
      "find slabs slabs=4 types=gas\nwait\n"
      "select_value x -1e30 1e30 slabs\nwait\nsave_state all.toml\nexport_selection "
      "all.hdf5\nwait\n"
      "select_value x 1e29 1e30 slabs\nwait\n");
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  const auto gas_in = [](const std::string& file) {
    return io::open_snapshot(file)->info().types.at(0).count;
  };
  CHECK(gas_in(added.folder.path("all.hdf5")) == gas_in(added.sample));
  CHECK(run.says("selected: 0 particles"));
  const auto state = app::session::load_state(added.folder.path("all.toml")).state;
  CHECK(state.selection.kind == app::session::SelectionKind::FoundValue);
  CHECK(state.selection.finder == "slabs");
  CHECK(state.selection.search == state.finding("slabs").options);
  CHECK(state.selection.field == "x");
  const auto refused = added.view("find slabs\nwait\nselect_value y 0 1 slabs\n");
  CHECK(refused.code == 2);
  CHECK(refused.says("slabs found no field 'y'"));
  // Searched for anew.
  test::put_bytes(added.folder.path("wait.txt"), "wait\n");
  const auto again = added.run(
      {"view", "--headless", "--device", "cpu", "--state", "all.toml", "--run", "wait.txt"});
  INFO(again.out << again.err);
  CHECK(again.says("selected: "));
  CHECK_FALSE(again.says("selected: 0 particles"));
}

TEST_CASE("a field without a value colors nothing, and says so", "[finders][window]") {
  const Added added;
  const analysis::AddedFinder gaps(std::make_shared<GapFinder>());
  const auto run = added.view(
      "find gaps\nwait\nscreenshot own.png bare 160x120\nwait\ncolor_by gaps gap\nwait\n"
      "screenshot gap.png bare 160x120\nwait\n");
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("No particle has a value of gap: particles keep their own colors."));
  CHECK((pixels(added, "own.png") == pixels(added, "gap.png")));
  const auto plot = added.run({"gaps", added.sample, "--plot", "gap=g.csv", "--device", "cpu"});
  CHECK(plot.is_fault());
  CHECK(plot.says("no particle has a value"));
}

TEST_CASE("sentences about colors of a field speak of its values", "[finders][window]") {
  const Added added;
  test::put_bytes(added.folder.path("x.toml"),
                  "version = 1\n[slabs]\nsearched = true\ncolor_particles = true\n"
                  "color_field = \"x\"\n[slabs.options]\nslabs = 3\n");
  const auto drawn = [&](const Words& more) {
    Words words{"render", added.sample, "-o",       "r.png", "--state",    "x.toml",
                "--size", "64x48",      "--device", "cpu",   "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    return added.run(words);
  };
  CHECK(drawn({"--every", "2"})
            .says("Values of x are those of all particles, of which a part is drawn"));
  CHECK(drawn({"--map", "surface-density"}).says("A map has no colors of values of x."));
  std::filesystem::copy_file(added.sample, added.folder.path("b.hdf5"));
  const auto film =
      added.view("open " + added.sample +
                 " b.hdf5\nwait\nfind slabs slabs=3\nwait\ncolor_by slabs x\n"
                 "wait\nadd_key 0\nadd_key 1\nexport_frames f%03d.png 1 1 64x48\nwait\n");
  INFO(film.out << film.err);
  CHECK(
      film.says("Values of x are those of one snapshot: in a film of several, particles keep "
                "their own colors."));
}

}  // namespace haloscope
