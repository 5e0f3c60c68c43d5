// An analysis that only this file knows, in the command line, commands, states, pictures and
// exports: none of them may name an analysis.
#include "app/session/command_table.h"
#include "app/session/state_file.h"
#include "tests/app/added_slabs.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope {

namespace {

using Added = test::AddedSlabs;
using Words = std::vector<std::string>;

// Options that are called as keys of a state are.
struct ClashingOptions {
  std::uint64_t searched = 1;
  double limits = 1;
  std::vector<std::string> kind;
  std::optional<double> center;
  bool operator==(const ClashingOptions&) const = default;
};

template <class V>
void visit(V& v, ClashingOptions& o) {
  v.count("searched", o.searched, 1, {.help = "A count"});
  v.positive("limits", o.limits, {.help = "A number"});
  v.types("kind", o.kind, {.help = "A list", .empty = "all"});
  v.length("center", o.center, {.help = "A length"});
}

class ClashingFinder final : public analysis::FinderOf<ClashingOptions> {
 public:
  ClashingFinder() : FinderOf({"clashes", "clash", "clashes", "Finds nothing", "There is none."}) {}
  analysis::Finding search(const io::SnapshotReader&, const ClashingOptions&,
                           const analysis::FindRequest&, Progress&) const override {
    return {};
  }
};

}  // namespace

TEST_CASE("a finder that was added has a command of the command line", "[finders]") {
  const Added added;
  const auto help = added.run({"slabs", "--help"});
  CHECK(help.says("--slabs"));
  CHECK(help.says("Number of slabs"));
  const auto run = added.run({"slabs", added.sample, "-o", "s.csv", "--plot", "x=x.csv", "--slabs",
                              "3", "--types", "gas", "--device", "cpu"});
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("3 slabs"));
  CHECK(run.says("--slabs along x are cut."));
  CHECK(added.text("s.csv").find("Members") != std::string::npos);
  CHECK(added.text("x.csv").find("# x: x [code length]") != std::string::npos);
  CHECK(added.run({"slabs", added.sample, "-o", "s.csv", "--slabs", "0"}).is_fault());
  CHECK(added.run({"slabs", added.sample, "--plot", "y=y.csv"}).is_fault());
  CHECK(added.run({"slabs", added.sample}).is_fault());
}

TEST_CASE("a finder that was added has the commands of all", "[finders]") {
  const Added added;
  app::session::State state;
  test::FakeActions actions;
  const auto run = [&](const std::string& line) {
    const app::session::Call call = app::session::parse_command(line);
    app::session::run_command(call, state, actions);
    return app::session::to_text(app::session::as_recorded(call, state));
  };
  CHECK(run("find slabs slabs=7") == "find slabs slabs=7 types=all");
  CHECK(state.shown_finder == "slabs");
  CHECK(state.finding("slabs").searched);
  CHECK_FALSE(state.finding("halos").searched);
  CHECK(state.finding("slabs").options == test::SlabOptions{7, {}});
  run("select slabs 1");
  CHECK(state.finding("slabs").selected == 1u);
  run("fly_to slabs");
  run("color_by halos");
  run("color_by slabs");
  CHECK(*state.colored_by() == "slabs");
  CHECK_FALSE(state.finding("halos").color_particles);
  CHECK_THROWS_AS(run("color_by slabs height"), Error);
  run("select_members 1");
  CHECK(state.selection.finder == "slabs");
  run("export slabs s.csv");
  CHECK(actions.asked.back() == "slabs s.csv");
  run("color_by off");
  CHECK_FALSE(state.colored_by());
  // The old names mean halos.
  CHECK_THROWS_AS(run("export_halos h.csv"), Error);
  CHECK_THROWS_AS(run("find slab"), Error);
  CHECK_THROWS_AS(run("find slabs slabs=0"), Error);

  const auto text = app::session::state_text(state);
  CHECK(text.find("finder = \"slabs\"") != std::string::npos);
  const auto read = app::session::parse_state(text, "s.toml");
  CHECK(read.warnings.empty());
  CHECK(read.state == state);
}

TEST_CASE("what an added finder found is listed, colored, selected, saved and written",
          "[finders][window]") {
  const Added added;
  const auto run = added.view(
      "size 320 240\nfind slabs slabs=5 types=gas\nwait\nselect slabs 2\n"
      "fly_to slabs\nwait\nscreenshot own.png bare 160x120\nwait\n"
      "color_by slabs\nwait\nscreenshot slabs.png bare 160x120\nwait\nsave_state slabs.toml\n"
      "color_by slabs x\nwait\nscreenshot x.png bare 160x120\nwait\nsave_state x.toml\n"
      "export slabs s.csv\nwait\nexport_plot x p.csv\nwait\n"
      "select_members 2\nwait\nsave_state members.toml\n"
      "find halos\nwait\nsave_state both.toml\n");
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("5 slabs"));
  CHECK(run.says("slabs along x are cut."));
  CHECK_FALSE(run.says("`"));
  CHECK(added.text("own.png") != added.text("slabs.png"));
  CHECK(added.text("own.png") != added.text("x.png"));
  CHECK(added.text("slabs.png") != added.text("x.png"));
  CHECK(added.text("p.csv").find("haloscope view: find slabs slabs=5 types=gas") !=
        std::string::npos);
  CHECK(added.text("s.csv").find("Members") != std::string::npos);
  const auto both = app::session::load_state(added.folder.path("both.toml")).state;
  CHECK(both.finding("slabs").searched);
  CHECK(both.finding("halos").searched);
  // A picture of the state searches again and has the same colors.
  for (const std::string name : {"slabs", "x"}) {
    const auto again =
        added.run({"render", added.sample, "-o", "again.png", "--state", name + ".toml", "--size",
                   "160x120", "--device", "cpu", "--overwrite"});
    INFO(again.out << again.err);
    REQUIRE(again.code == 0);
    CHECK(again.says(name == "x" ? "Particles have the colors of x: 5 slabs."
                                 : "Particles have the colors of their slabs: 5 slabs."));
  }
  const auto members = app::session::load_state(added.folder.path("members.toml")).state;
  CHECK(members.selection.finder == "slabs");
  CHECK(members.selection.piece == 2);
  CHECK(run.says("selected: "));
}

TEST_CASE("a finder without pieces, labels and catalog says what it lacks", "[finders][window]") {
  const Added added;
  const analysis::AddedFinder height(std::make_shared<test::HeightFinder>());
  const auto run = added.view(
      "size 320 240\nfind height types=gas\nwait\ncolor_by height\nwait\ncolor_by height x\n"
      "wait\nscreenshot x.png bare 160x120\nwait\nexport_plot x p.csv\nwait\n");
  INFO(run.out << run.err);
  REQUIRE(run.code == 0);
  CHECK(run.says("x of all particles"));
  CHECK(run.says("height finds fields and no pieces: color_by height x colors the particles."));
  CHECK_FALSE(run.says("No particle was found"));
  const auto fault = [&](const std::string& command) {
    const auto refused = added.view("find height types=gas\nwait\n" + command + "\nwait\n");
    CHECK(refused.code == 2);
    return refused.err;
  };
  CHECK(fault("select_members 0").find("height finds fields of the particles, and no pieces") !=
        std::string::npos);
  CHECK(added.view("export height h.hdf5\n").says("height has not been searched for"));
  // Options of a file are checked as typed ones are.
  test::put_bytes(added.folder.path("s.toml"),
                  "version = 1\n[height]\nsearched = true\ncolor_particles = true\n"
                  "color_field = \"x\"\n[height.options]\nslabs = 0\n");
  const auto state = added.run({"render", added.sample, "-o", "r.png", "--state", "s.toml",
                                "--size", "64x48", "--device", "cpu"});
  CHECK(state.is_fault());
}

TEST_CASE("options of any name stand beside a state's own keys", "[finders]") {
  const analysis::AddedFinder clashing(std::make_shared<ClashingFinder>());
  app::session::State state;
  ClashingOptions options;
  options.searched = 5;
  options.limits = 0.25;
  options.kind = {"gas", "dm"};
  options.center = 7;
  state.finding("clashes") = {options, true, 3,
                              true,    "x",  {"magma", {}, app::session::Limits{1, 2}}};
  state.selection.kind = app::session::SelectionKind::Piece;
  state.selection.piece = 2;
  state.selection.finder = "clashes";
  state.selection.search = options;
  const auto text = app::session::state_text(state);
  INFO(text);
  CHECK(text.find("\n[clashes.options]\nsearched = 5\n") != std::string::npos);
  CHECK(text.find("\n[selection.options]\nsearched = 5\n") != std::string::npos);
  const auto read = app::session::parse_state(text, "s.toml");
  CHECK(read.warnings.empty());
  CHECK(read.state == state);
  // A misspelt one is told.
  std::string odd = text;
  odd.replace(odd.find("searched = 5"), 12, "serached = 5");
  CHECK(app::session::parse_state(odd, "s.toml").warnings.size() == 1);
}

TEST_CASE("the search is stopped by its name and by its older one", "[finders]") {
  app::session::State state;
  test::FakeActions actions;
  for (const char* line : {"cancel find", "cancel halos", "cancel count"})
    app::session::run_command(line, state, actions);
  CHECK(actions.asked == Words{"cancel find", "cancel find", "cancel count"});
}

}  // namespace haloscope
