// `haloscope info`: counts of what is odd, and faults that show before anything is drawn.

#include "core/grid.h"
#include "io/grids/grid_file.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/ball_universe.h"
#include "tests/made/catalog_files.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>

using namespace haloscope::test;
using namespace snapshot_files;

namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();

void write_odd(const std::string& path) {
  FileWriter file(path);
  write_header(file, {5, 0, 0, 0, 3, 0}, 10);
  file.group("PartType0");
  file.dataset<float>("PartType0/Coordinates", {5, 3},
                      {1, 1, 1, 10, 2, 2, -1, 3, 3, kNan, 4, 4, 5, 5, 5});
  file.group("PartType4").dataset("PartType4/Coordinates", {3, 3}, some_positions(3, 10));
  file.dataset<float>("PartType4/GFM_StellarFormationTime", {3}, {0.3F, -0.2F, 0});
}

}  // namespace

TEST_CASE("info counts particles wrapped, rejected and shown, and wind cells among stars") {
  const OutputFolder folder;
  write_odd(folder.path("s.hdf5"));
  Outcome outcome = run_program({"info", folder.path("s.hdf5"), "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto types = nlohmann::json::parse(outcome.out)["types"];
  const auto gas = types["0"]["counts"];
  CHECK(gas["read"] == 5);
  CHECK(gas["wrapped"] == 2);
  CHECK(gas["rejected"] == 1);
  CHECK(gas["not_finite"] == 1);
  CHECK(gas["shown"] == 4);
  // Of the four that are left, one of them wrapped from -1 to 9 and one from the edge to 0.
  CHECK(gas["mean_position"][0] == Approx((1 + 0 + 9 + 5) / 4.0));
  CHECK(gas["mean_position"][1] == Approx((1 + 2 + 3 + 5) / 4.0));
  CHECK(types["4"]["counts"]["wind"] == 2);
  CHECK(types["4"]["counts"]["shown"] == 3);
  outcome = run_program({"info", folder.path("s.hdf5")});
  CHECK(outcome.says("2 wrapped into the box, 1 left out (position not a finite number)"));
  CHECK(outcome.says("2 wind cells, not stars"));
}

TEST_CASE("a damaged file fails in info already, unless nobody looks") {
  const OutputFolder folder;
  const std::string path = folder.path("s.hdf5");
  write_gas(path, some_positions(20000, 10), 10, {{1000, 3}, true, true, 4, H5I_INVALID_HID});
  std::string bytes = file_bytes(path);
  for (std::size_t at = bytes.size() / 2; at < bytes.size() / 2 + 2000; ++at) bytes[at] ^= 0x55;
  put_bytes(path, bytes);
  Outcome outcome = run_program({"info", path});
  CHECK(outcome.is_fault());
  CHECK(outcome.says("PartType0/Coordinates"));
  outcome = run_program({"info", path, "--quick"});
  CHECK(outcome.code == 0);
  CHECK(outcome.says("positions not checked"));
  CHECK(run_program({"info", path, "--quick", "--check"}).is_fault());
}

TEST_CASE("info tells of a halo catalog what catalog tells") {
  const OutputFolder folder;
  const std::string path = folder.path("out_0.list");
  put_bytes(path, catalog_files::rockstar_text(catalog_files::some_halos(5)));
  for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--json"}}) {
    std::vector<std::string> info{"info", path}, catalog{"catalog", path};
    info.insert(info.end(), options.begin(), options.end());
    catalog.insert(catalog.end(), options.begin(), options.end());
    const Outcome told = run_program(info);
    CHECK(told.code == 0);
    CHECK(told.says("5"));
    CHECK(told.out == run_program(catalog).out);
  }
  CHECK(run_program({"info", path, "--box", "100"}).is_fault());
  CHECK(run_program({"render", path, "-o", folder.path("x.png")}).says("this is a Rockstar"));
}

TEST_CASE("info finds a catalog by its folder and without its ending") {
  const OutputFolder folder;
  const auto write = [&] {
    catalog_files::write_subhalo_tab(folder.path("tab_004.hdf5"), catalog_files::some_halos(5), 0,
                                     5);
  };
  write();
  for (const std::string& path : {folder.path(), folder.path("tab_004")}) {
    INFO(path);
    const Outcome told = run_program({"info", path});
    CHECK(told.code == 0);
    CHECK(told.says("GADGET-4 fof_subhalo_tab"));
    CHECK(told.out == run_program({"catalog", path}).out);
  }
  // The folder of a snapshot and its catalog is that of the snapshot.
  write_gas(folder.path("snap_004.hdf5"), some_positions(5, 10), 10);
  CHECK(run_program({"info", folder.path()}).says("Gadget"));
  const OutputFolder neither;
  FileWriter(neither.path("x.hdf5")).group("Other");
  const Outcome outcome = run_program({"info", neither.path()});
  CHECK(outcome.is_fault());
  CHECK(outcome.err.find(neither.path()) == outcome.err.rfind(neither.path()));
  CHECK(outcome.says("the folder holds no snapshot (x.hdf5: "));
  CHECK(outcome.says("; name a snapshot"));
}

TEST_CASE("info --json bears names that are not UTF-8") {
  const OutputFolder folder;
  put_bytes(folder.path("s.csv"), "x,y,z,temp\xe9rature\n1,2,3,4\n5,6,7,8\n");
  const Outcome outcome = run_program({"info", folder.path("s.csv"), "--json"});
  CHECK(outcome.code == 0);
  CHECK(nlohmann::json::parse(outcome.out)["format"].is_string());
}

TEST_CASE("a wrong description of a raw table is told with its line or option") {
  const OutputFolder folder;
  const std::string path = folder.path("s.raw");
  put_bytes(path, std::string(24, '\0'));
  Outcome outcome = run_program({"info", path, "--raw", "Coordinates:f4y3"});
  CHECK(outcome.says("--raw: the description of the raw table is wrong"));
  put_bytes(path + ".haloscope.toml", "# by hand\n\nraw = \"Coordinates:f4y3\"\n");
  outcome = run_program({"info", path});
  CHECK(outcome.is_fault());
  CHECK(outcome.says("s.raw.haloscope.toml:3: raw: the description of the raw table is wrong"));
}

TEST_CASE("there is nothing to save without options") {
  const OutputFolder folder;
  write_odd(folder.path("s.hdf5"));
  CHECK(run_program({"info", folder.path("s.hdf5"), "--save-overrides"}).is_fault());
  CHECK(folder.files() == std::vector<std::string>{"s.hdf5"});
}

TEST_CASE("overrides replace a file that is no sidecar only with --overwrite", "[bad]") {
  const OutputFolder folder;
  const std::string path = folder.path("s.hdf5"), sidecar = path + ".haloscope.toml";
  write_odd(path);
  std::vector<std::string> save{"info", path, "--hubble", "0.6", "--save-overrides"};
  for (const std::string& theirs :
       {std::string("a note of mine\n"), std::string("# my notes\n"), std::string("\0\1\2", 3),
        std::string("[server]\nport = 1\n"), std::string("hubbel = 0.7\n")}) {
    INFO(theirs);
    put_bytes(sidecar, theirs);
    Outcome outcome = run_program(save);
    CHECK(outcome.is_fault());
    CHECK(outcome.says("would replace a file that is no sidecar of haloscope's"));
    CHECK(outcome.says("--overwrite"));
    CHECK(file_bytes(sidecar) == theirs);
    auto over = save;
    over.push_back("--overwrite");
    outcome = run_program(over);
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(file_bytes(sidecar).ends_with("\nhubble = \"0.6\"\n"));
    // Its own it goes on with, unasked, and so with an empty file.
    over = {"info", path, "--box", "12", "--save-overrides"};
    CHECK(run_program(over).says("kept from before: hubble = 0.6"));
    put_bytes(sidecar, "");
    CHECK(run_program(save).code == 0);
  }
  // --overwrite keeps what a sidecar says, too.
  save = {"info", path, "--box", "12", "--save-overrides", "--overwrite"};
  CHECK(run_program(save).says("kept from before: hubble = 0.6"));
}

TEST_CASE("info tells a density that cannot be where masses stand in a block") {
  const OutputFolder folder;
  const std::string path = folder.path("s.hdf5");
  write_universe(path);
  const std::string sentence = "times that of Omega0 0.3: the units are not right";
  CHECK(run_program({"info", path}).says(sentence));
  CHECK(run_program({"info", path, "--json"}).says(sentence));
  CHECK_FALSE(run_program({"info", path, "--quick"}).says(sentence));
  CHECK_FALSE(run_program({"info", path, "--unit-length", "Mpc/h"}).says("Omega0 0.3"));
  // With a type whose masses nobody knows nothing can be said.
  const std::string some = folder.path("some.hdf5");
  write_gas(some, some_positions(5, 10), 10);
  CHECK_FALSE(run_program({"info", some}).says("Omega0 0.3"));
}

TEST_CASE("info tells units by name and in cgs") {
  const OutputFolder folder;
  const std::string path = folder.path("s.hdf5");
  write_gas(path, some_positions(5, 10), 10);
  const Outcome outcome = run_program({"info", path});
  CHECK(
      outcome.says("units     length kpc/h (3.08568e+21 cm/h), mass 1e10 Msun/h (1.989e+43 g/h), "
                   "velocity km/s (100000 cm/s)"));
}

TEST_CASE("info tells of cells that are -inf, and of one grid of several") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("s.hdf5"), path = folder.path("log.npy");
  haloscope::Grid grid;
  grid.cells = {2, 2, 2};
  grid.scalar = haloscope::GridScalar::Float32;
  grid.bytes = haloscope::Array<std::byte>(8 * sizeof(float));
  for (int k = 0; k < 8; ++k) grid.values<float>()[k] = k < 2 ? -HUGE_VALF : float(k);
  haloscope::Progress progress;
  haloscope::io::write_grid(path, grid, progress);
  const Outcome told = run_program({"info", path});
  INFO(told.out << told.err);
  CHECK(told.says("range     2 to 7, mean 4.5, of the 6 finite cells; 2 are -inf"));
  CHECK(run_program({"info", path, "--json"}).says("\"minus_infinity\": 2"));

  write_universe(snapshot);
  const std::string image = folder.path("p.vti");
  REQUIRE(run_program({"topology", snapshot, "-o", image, "--grid", "8"}).code == 0);
  const Outcome several = run_program({"info", image});
  CHECK(several.is_fault());
  CHECK(several.says("choose one with --dataset NAME"));
  const Outcome one = run_program({"info", image, "--dataset", "Branch"});
  INFO(one.out << one.err);
  CHECK(one.code == 0);
  CHECK(one.says("values    Branch"));
  CHECK(one.says("(int32)"));
  CHECK(run_program({"info", image, "--dataset", "None"}).says("there is no array None"));
  CHECK(run_program({"info", image, "--dataset", "Branch", "--unit-length", "kpc"})
            .says("leave one of them out"));
}

TEST_CASE("info tells what a bare grid holds") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("s.hdf5"), array = folder.path("a.npy");
  write_universe(snapshot);
  for (const char* const name : {"g.hdf5", "g.npy", "g.vti"}) {
    const std::string grid = folder.path(name);
    REQUIRE(run_program({"grid", snapshot, "-o", grid, "--size", "4", "--quiet"}).code == 0);
    const Outcome told = run_program({"info", grid});
    INFO(told.out << told.err);
    CHECK(told.code == 0);
    CHECK(told.says(std::string(name) + ": a grid of 4 x 4 x 4 cells (float32)"));
    CHECK(told.says("range     "));
    CHECK(run_program({"info", grid, "--json"}).says("\"format\": \"grid\""));
  }
  for (const char* const name : {"g.hdf5", "g.vti"}) {
    const Outcome placed = run_program({"info", folder.path(name)});
    INFO(placed.out);
    CHECK(placed.says("whose ends meet along x,y,z"));
    CHECK(placed.says("of 25 x 25 x 25 kpc/h"));
    CHECK(placed.says("values    mass [1e10 Msun/h]"));
  }
  // Where a snapshot is wanted, it is told what this is.
  const Outcome refused = run_program({"halos", folder.path("g.npy"), "-o", folder.path("h.hdf5")});
  CHECK(refused.is_fault());
  CHECK(refused.says("g.npy: this is an array of NumPy, not a snapshot; 'haloscope topology'"));
  const Outcome image = run_program({"halos", folder.path("g.vti"), "-o", folder.path("h.hdf5")});
  CHECK(image.says("g.vti: this is an image of VTK, not a snapshot"));
  // HDF5 that is neither gets the sentence of a snapshot.
  CHECK(run_program({"topology", snapshot, "-o", folder.path("p.hdf5"), "--grid", "8"}).code == 0);
  const Outcome peaks =
      run_program({"topology", folder.path("p.hdf5"), "-o", folder.path("q.hdf5")});
  CHECK(peaks.says("p.hdf5: this is a catalog of peaks, not a snapshot"));
  const Outcome listed = run_program({"info", folder.path("p.hdf5")});
  INFO(listed.out);
  CHECK(listed.says("GroupPersistence"));
  CHECK(listed.says(" nodes, "));  // and arcs, in one line
}
