// What `haloscope halos` refuses, and what it then leaves as it was.

#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/ball_universe.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/skip.h"
#include "tests/test_paths.h"

#include <string>
#include <utility>
#include <vector>

using namespace haloscope;
using namespace haloscope::test;
using namespace snapshot_files;

TEST_CASE("units that cannot be are told with what would fit, as info does", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5");
  write_universe(snapshot);
  // 505 · 10^10 Msun/h in (100 kpc/h)^3, which are the units where the file has none.
  const std::string hint = "times that of Omega0 0.3: the units are not right";
  const auto found =
      run_program(halos_command(snapshot, folder.path("a.hdf5"), {"--epsilon", "1"}));
  CHECK(found.code == 0);
  CHECK(found.says("warning: The particles' mean density is"));
  CHECK(found.says(hint));
  const auto refused =
      run_program(halos_command(snapshot, folder.path("b.hdf5"), {"--epsilon", "51"}));
  CHECK(refused.is_fault());
  CHECK(refused.says("more than half the box"));
  CHECK(refused.says(hint));
  CHECK_FALSE(run_program(halos_command(snapshot, folder.path("a.hdf5"),
                                        {"--epsilon", "1", "--unit-length", "Mpc/h"}))
                  .says("units are not right"));
}

TEST_CASE("a linking length that hangs on units which cannot be is refused", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), output = folder.path("a.hdf5");
  write_universe(snapshot);  // which leaves parts of the box empty
  const auto refused = run_program(halos_command(snapshot, output, {"--linking-length", "0.001"}));
  INFO(refused.out << refused.err);
  CHECK(refused.is_fault());
  CHECK(refused.says("snap.hdf5: the linking length is not known in mean spacings"));
  CHECK(refused.says("--unit-length"));
  CHECK(refused.says("--epsilon"));
  CHECK(folder.files() == std::vector<std::string>{"snap.hdf5"});
  std::vector<float> lattice;
  for (int i = 0; i < 512; ++i)
    for (const int k : {i % 8, i / 8 % 8, i / 64}) lattice.push_back(12.5F * float(k) + 1);
  {
    FileWriter file(snapshot);
    write_header(file, {0, 512, 0, 0, 0, 0}, kBox);
    file.group("PartType1").dataset("PartType1/Coordinates", {512, 3}, lattice);
    file.dataset("PartType1/Masses", {512}, std::vector<float>(512, 2.f));
  }
  const auto full = run_program(halos_command(snapshot, output, {}));
  INFO(full.out << full.err);
  CHECK(full.code == 0);
  CHECK(full.says("box/cbrt(N) = 12.5, because they have one mass and fill the box"));
  CHECK(full.says("linking length 2.5"));
}

TEST_CASE("mistakes in a halo search get their sentence, and nothing is written", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5"), open = folder.path("open.hdf5");
  write_universe(snapshot);
  write_universe(open, 0);
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {halos_command(snapshot, folder.path("a.txt"), {}), ".csv"},
      {halos_command(snapshot, folder.path("no/a.hdf5"), {}), "no"},
      {halos_command(snapshot, snapshot, {}), "snap.hdf5"},
      {halos_command(snapshot, folder.path("a.hdf5"), {"--attach", "dm"}), "asked for twice"},
      {halos_command(snapshot, folder.path("a.hdf5"), {"--types", "stars"}),
       "no particles of type 4"},
      {halos_command(snapshot, folder.path("a.hdf5"), {"--epsilon", "-1"}), "positive"},
      {halos_command(snapshot, folder.path("a.hdf5"), {"--epsilon", "0"}), "positive"},
      {halos_command(snapshot, folder.path("a.hdf5"), {"--epsilon", "51"}),
       "more than half the box"},
      {halos_command(snapshot, folder.path("a.hdf5"), {"--linking-length", "nan"}),
       "--linking-length"},
      {halos_command(snapshot, folder.path("a.hdf5"), {"--min-points", "1"}), "--min-points"},
      {halos_command(snapshot, folder.path("a.hdf5"), {"--min-members", "0"}), "--min-members"},
      {halos_command(snapshot, folder.path("a.hdf5"), {"--algorithm", "magic"}), "fdbscan"},
      {halos_command(snapshot, folder.path("a.hdf5"), {"--device", "tpu"}), "auto|cpu|cuda"},
      {halos_command(snapshot, folder.path("a.hdf5"), {"--softening", "0"}), "--softening"},
      {halos_command(snapshot, folder.path("a.hdf5"), {"--sub-halos", "3"}), "--sub-epsilon"},
      {halos_command(snapshot, folder.path("a.hdf5"), {"--sub-min-members", "20"}),
       "--sub-min-members"},
      {halos_command(snapshot, folder.path("a.hdf5"),
                     {"--sub-epsilon", "0.1", "--epsilon", "1", "--sub-min-members", "0"}),
       "--sub-min-members"},
      {halos_command(snapshot, folder.path("a.csv"), {"--sub-linking-length", "0.1"}), ".hdf5"},
      {halos_command(
           snapshot, folder.path("a.hdf5"),
           {"--linking-length", "0.01", "--sub-linking-length", "0.02", "--unit-length", "Mpc/h"}),
       "--sub-linking-length"},
      {halos_command(open, folder.path("a.hdf5"), {}), "--epsilon"},
      {halos_command(open, folder.path("a.hdf5"), {"--replicate", "2", "--epsilon", "1"}),
       "--periodic"}};
  for (const auto& [arguments, part] : mistakes) {
    const auto run = run_program(arguments);
    INFO(part << ": " << run.out << run.err);
    CHECK(run.is_fault());
    CHECK(run.says(part));
  }
  CHECK(folder.files() == std::vector<std::string>{"open.hdf5", "snap.hdf5"});
}

TEST_CASE("a search for halos replaces nothing but catalogs of haloscope", "[app][halos]") {
  const OutputFolder folder;
  const std::string snapshot = folder.path("snap.hdf5");
  write_universe(snapshot);
  const std::string theirs = folder.path("fof_subhalo_tab_003.hdf5"),
                    table = folder.path("table.csv");
  FileWriter(theirs).group("Group").group("Subhalo");
  put_bytes(table, "x,y,z\n1,2,3\n");
  for (const std::string& path : {theirs, table}) {
    const std::string before = file_bytes(path);
    const auto run = run_program(halos_command(snapshot, path, {"--epsilon", "1"}));
    CHECK(run.is_fault());
    CHECK(run.says("would replace a file that is no halo catalog"));
    CHECK((file_bytes(path) == before));  // a failure would print both
  }
  for (const char* name : {"a.hdf5", "a.csv"})
    for (int again = 0; again < 2; ++again)
      CHECK(run_program(halos_command(snapshot, folder.path(name), {"--epsilon", "1"})).code == 0);
  // As mktemp makes them.
  put_bytes(folder.path("empty.hdf5"), "");
  CHECK(run_program(halos_command(snapshot, folder.path("empty.hdf5"), {"--epsilon", "1"})).code ==
        0);
}

TEST_CASE("a search that cannot be held is refused with the figures before anything is read",
          "[app][halos]") {
  const OutputFolder folder;
  const auto refusal = [&](std::size_t particles) {
    const std::string snapshot = folder.path("snap.hdf5");
    std::filesystem::remove(snapshot);
    {
      // Positions that no reader would take: they are never read.
      FileWriter file(snapshot);
      write_header(file, {0, std::uint32_t(particles), 0, 0, 0, 0}, kBox);
      const std::vector<double> nowhere(3 * particles, std::nan(""));
      file.group("PartType1").dataset("PartType1/Coordinates", {particles, 3}, nowhere);
    }
    const auto run =
        run_program(halos_command(snapshot, folder.path("a.hdf5"),
                                  {"--replicate", "64", "--epsilon", "1", "--device", "cpu"}));
    INFO(run.out << run.err);
    CHECK(run.is_fault());
    return run.err;
  };
  CHECK(refusal(20000).find("5242880000 particles of dm are more than") != std::string::npos);
  constexpr double kHostBytes = 400e9;
  if (double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE)) > kHostBytes / 2) {
    return test::skip(test::Needs::System, "this machine may hold the search");
  }
  CHECK(refusal(16000).find("needed") != std::string::npos);
}
