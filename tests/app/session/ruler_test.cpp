// The ruler: its length by hand, across the edge of a periodic box, comoving and physical.

#include "app/session/ruler.h"

#include "app/session/command_table.h"
#include "app/session/state_file.h"
#include "core/vector_math.h"
#include "tests/app/session/fake_actions.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <string>

using namespace haloscope;
using namespace haloscope::app::session;
using test::FakeActions;
using test::message_of;

namespace {

SnapshotInfo comoving_box() {
  SnapshotInfo info;
  info.box_size = 100;
  info.periodic = true;
  info.units.comoving = true;
  info.units.per_h = true;
  info.units.length_cm = 3.0856775814913673e24;  // Mpc
  info.cosmology.hubble_param = 0.5;
  info.cosmology.redshift = 3;
  return info;
}

}  // namespace

TEST_CASE("a ruler goes the short way, over the edge of a periodic box", "[ruler]") {
  const Ruler ruler{{98, 10, 50}, {2, 10, 53}};
  CHECK(way_of(ruler, true, 100) == Vec{4, 0, 3});
  CHECK(length(way_of(ruler, true, 100)) == 5);
  CHECK(way_of(ruler, false, 100) == Vec{-96, 0, 3});
  CHECK(way_of(ruler, true, 0) == Vec{-96, 0, 3});
  // Boxes away it is the same.
  CHECK(way_of({{298, 10, 50}, {2, -190, 53}}, true, 100) == Vec{4, 0, 3});
}

TEST_CASE("a ruler tells its comoving and its physical length", "[ruler]") {
  const Ruler ruler{{98, 10, 50}, {2, 10, 53}};
  SnapshotInfo info = comoving_box();
  // 5 Mpc/h, h = 0.5, a = 0.25.
  CHECK(ruler_in_words(ruler, info, 0.25) == "5 Mpc/h comoving, 2.5 Mpc physical");
  info.units.per_h = false;
  CHECK(ruler_in_words(ruler, info, 0.25) == "5 Mpc comoving, 1.25 Mpc physical");
  info.units.comoving = false;
  CHECK(ruler_in_words(ruler, info, 0.25) == "5 Mpc");
  info.units.per_h = true;
  CHECK(ruler_in_words(ruler, info, 0.25) == "5 Mpc/h, 10 Mpc physical");
}

TEST_CASE("the ruler is laid, kept in states and taken away", "[ruler][state]") {
  State state;
  FakeActions actions;
  SnapshotInfo info = comoving_box();
  actions.facts.info = &info;
  run_command("ruler 98 10% 50 2 10 53", state, actions);
  REQUIRE(state.ruler);
  CHECK(state.ruler->from == Vec{98, 10, 50});
  CHECK(state.ruler->to == Vec{2, 10, 53});
  REQUIRE(actions.said.size() == 1);
  CHECK(actions.said[0].starts_with("ruler: 5 Mpc/h comoving, "));
  const ReadState read = parse_state(state_text(state), "state.toml");
  CHECK(read.warnings.empty());
  CHECK(read.state == state);
  run_command("ruler off", state, actions);
  CHECK_FALSE(state.ruler);
  CHECK(state_text(state).find("[ruler]") == std::string::npos);
}

TEST_CASE("a ruler across nothing is one sentence, and the former one stays", "[ruler]") {
  State state;
  FakeActions actions;
  run_command("ruler 1 2 3 4 5 6", state, actions);
  const State before = state;
  const auto says = [&](const std::string& line, const std::string& part) {
    const std::string fault = message_of([&] { run_command(line, state, actions); });
    INFO(fault);
    CHECK(fault.find(part) != std::string::npos);
    CHECK(state == before);
  };
  says("ruler 1 2 3 1 2 3", "both ends of the ruler are at the same point");
  says("ruler 1 2 3 101 2 -97", "both ends of the ruler are at the same point");
  says("ruler 1 2 3", "a ruler needs two points");
  says("ruler far 2 3 4 5 6", "'far' is not a length");
  says("ruler off 2", "`off` takes no points");
  actions.facts.open = false;
  says("ruler 1 2 3 4 5 6", "no snapshot is open");
}

TEST_CASE("a slab is about the center or between two planes", "[slab][state]") {
  State state;
  FakeActions actions;
  run_command("slab 5%", state, actions);
  CHECK(state.slab.thickness == 5);
  run_command("slab z 90 10%", state, actions);
  CHECK_FALSE(state.slab.thickness);
  CHECK(state.slab.axis == std::size_t(2));
  CHECK(state.slab.low == 90);
  CHECK(state.slab.high == 10);
  const ReadState read = parse_state(state_text(state), "state.toml");
  CHECK(read.state == state);
  CHECK(to_render_request(state).slab == state.slab);
  const State before = state;
  const auto says = [&](const std::string& line, const std::string& part) {
    const std::string fault = message_of([&] { run_command(line, state, actions); });
    INFO(fault);
    CHECK(fault.find(part) != std::string::npos);
    CHECK(state == before);
  };
  says("slab 0", "THICKNESS must be greater than 0");
  says("slab w", "'w' is not a length");
  says("slab x 1", "two planes across an axis are two lengths");
  says("slab x 1 1", "LOW must be smaller than HIGH");
  says("slab 5 1", "a thickness is one length");
  says("slab x 1 150", "150 lies beside the periodic box, which reaches from 0 to 100");
  says("slab off 1", "`off` takes no planes");
  actions.facts.periodic = false;
  says("slab x 3 1", "LOW must be smaller than HIGH");
  run_command("slab off", state, actions);
  CHECK_FALSE(state.slab.any());
  // Another snapshot may have other lengths.
  run_command("slab 5", state, actions);
  run_command("ruler 1 2 3 4 5 6", state, actions);
  run_command("open b.hdf5", state, actions);
  CHECK_FALSE(state.slab.any());
  CHECK_FALSE(state.ruler);
}
