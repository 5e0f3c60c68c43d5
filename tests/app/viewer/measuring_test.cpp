// What is measured in the window: the numbers of `haloscope profile` and `haloscope phase`.

#include "app/session/state_file.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/ball_universe.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

using test::OutputFolder;
using Words = std::vector<std::string>;

// Gas with densities, energies and velocities, and dark matter.
void write_gas(const std::string& path, float heavier = 1) {
  using namespace snapshot_files;
  constexpr std::size_t kGas = 3000, kDark = 2000;
  constexpr double kSide = 10;
  FileWriter file(path);
  write_header(file, {kGas, kDark, 0, 0, 0, 0}, kSide);
  std::vector<float> masses(kGas), densities(kGas), energies(kGas);
  for (std::size_t i = 0; i < kGas; ++i) {
    masses[i] = heavier * (0.5f + float(i % 7));
    densities[i] = std::exp(float(i % 23) / 3);
    energies[i] = 50 + float(i % 11) * 40;
  }
  file.group("PartType0").dataset("PartType0/Coordinates", {kGas, 3}, some_positions(kGas, kSide));
  file.dataset("PartType0/Masses", {kGas}, masses);
  file.dataset("PartType0/Density", {kGas}, densities);
  file.dataset("PartType0/InternalEnergy", {kGas}, energies);
  file.dataset("PartType0/Velocities", {kGas, 3}, some_positions(kGas, 100, 5));
  file.group("PartType1")
      .dataset("PartType1/Coordinates", {kDark, 3}, some_positions(kDark, kSide, 3));
  file.dataset("PartType1/Masses", {kDark}, std::vector<float>(kDark, 2.f));
  file.dataset("PartType1/Velocities", {kDark, 3}, some_positions(kDark, 100, 6));
}

// Sessions and commands in a folder of their own.
struct Sessions {
  OutputFolder folder;

  test::Outcome run(const Words& words) const {
    const auto former = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    test::Outcome outcome = test::run_program(words);
    std::filesystem::current_path(former);
    return outcome;
  }
  test::Outcome view(const std::string& commands, const Words& files = {"a.hdf5"}) const {
    test::put_bytes(folder.path("commands.txt"), commands);
    Words words{"view"};
    words.insert(words.end(), files.begin(), files.end());
    words.insert(words.end(), {"--headless", "--device", "cpu", "--run", "commands.txt"});
    return run(words);
  }
  void view_well(const std::string& commands, const Words& files = {"a.hdf5"}) const {
    const test::Outcome outcome = view(commands, files);
    INFO(commands << outcome.out << outcome.err);
    REQUIRE(outcome.code == 0);
  }
  void run_well(const Words& words) const {
    const test::Outcome outcome = run(words);
    INFO(outcome.out << outcome.err);
    REQUIRE(outcome.code == 0);
  }
  // Without the line that tells who asked.
  std::string numbers(const std::string& file) const {
    std::istringstream lines(test::file_bytes(folder.path(file)));
    std::string kept, line;
    while (std::getline(lines, line))
      if (!line.starts_with("# haloscope ")) kept += line + "\n";
    return kept;
  }
  bool is_there(const std::string& file) const {
    return std::filesystem::exists(folder.path(file));
  }
};

}  // namespace

TEST_CASE("a profile in the window has the numbers of the command line", "[window][measuring]") {
  const Sessions sessions;
  write_gas(sessions.folder.path("a.hdf5"));
  sessions.view_well(
      "profile at 9.5 0.5 5 radii=0.5,4 bins=12\n"
      "export_plot profile_density window.csv\nexport_plot profile_mass mass.svg\n"
      "export_plot profile_temperature temperature.svg\nwait\n");
  sessions.run_well({"profile", "a.hdf5", "-o", "command.csv", "--center", "9.5,0.5,5", "--radii",
                     "0.5,4", "--bins", "12"});
  const std::string numbers = sessions.numbers("window.csv");
  CHECK(numbers == sessions.numbers("command.csv"));
  CHECK(numbers.find("\nall,0.5,") != std::string::npos);
  CHECK(test::file_bytes(sessions.folder.path("mass.svg")).find("M(") != std::string::npos);
  CHECK(sessions.is_there("temperature.svg"));
}

TEST_CASE("a phase diagram in the window has the numbers of the command line",
          "[window][measuring]") {
  const Sessions sessions;
  write_gas(sessions.folder.path("a.hdf5"));
  sessions.view_well(
      "phase\nexport_plot phase window.csv\nexport_plot phase window.svg\n"
      "phase Speed bins=9 weight=count\nexport_plot histogram speeds.csv\nwait\n");
  sessions.run_well({"phase", "a.hdf5", "-o", "command.csv", "-o", "command.svg"});
  CHECK(sessions.numbers("window.csv") == sessions.numbers("command.csv"));
  CHECK(sessions.numbers("window.csv").find("x: Density") != std::string::npos);
  sessions.run_well({"phase", "a.hdf5", "-o", "speeds_command.csv", "--x", "Speed", "--bins", "9",
                     "--weight", "count"});
  CHECK(sessions.numbers("speeds.csv") == sessions.numbers("speeds_command.csv"));
}

TEST_CASE("a profile of a halo that was found is that of its row in the catalog",
          "[window][measuring]") {
  const Sessions sessions;
  test::write_universe(sessions.folder.path("a.hdf5"));
  sessions.view_well(
      "find halos epsilon=1\nwait\nselect halos 1\nprofile\nexport_plot profile_density "
      "window.csv\n"
      "save_state state.toml\nexport_halos halos.hdf5\nwait\n");
  sessions.run_well(
      {"profile", "a.hdf5", "-o", "command.csv", "--structure", "1", "--catalog", "halos.hdf5"});
  CHECK(sessions.numbers("window.csv") == sessions.numbers("command.csv"));
  CHECK(sessions.numbers("window.csv").find("row 1 of") != std::string::npos);
  // A state shows it again, once its halos are found.
  sessions.view_well("load_state state.toml\nexport_plot profile_density again.csv\nwait\n");
  CHECK(sessions.numbers("again.csv") == sessions.numbers("window.csv"));
}

TEST_CASE("a profile's plots say what they are about, and of which snapshot",
          "[window][measuring]") {
  const Sessions sessions;
  test::write_universe(sessions.folder.path("a.hdf5"));
  sessions.view_well(
      "find halos epsilon=1\nwait\nprofile halos 1\nexport_plot profile_density halo.svg\n"
      "profile at 20 30 40 radii=0.1,2\nexport_plot profile_mass point.svg\n"
      "export_halos halos.hdf5\nwait\n");
  const auto title = [&](const std::string& file) {
    const std::string bytes = test::file_bytes(sessions.folder.path(file));
    const std::size_t begin = bytes.find("<title>");
    return bytes.substr(begin, bytes.find("</title>") - begin);
  };
  CHECK(title("halo.svg") == "<title>halo 1 in a.hdf5");
  CHECK(title("point.svg").starts_with("<title>20, 30, 40 "));
  CHECK(title("point.svg").ends_with(" in a.hdf5"));
  sessions.run_well(
      {"profile", "a.hdf5", "-o", "row.svg", "--structure", "1", "--catalog", "halos.hdf5"});
  CHECK(title("row.svg").starts_with("<title>row 1 of "));
}

TEST_CASE("a measurement follows the snapshot, undo and redo", "[window][measuring]") {
  const Sessions sessions;
  write_gas(sessions.folder.path("a.hdf5"));
  write_gas(sessions.folder.path("b.hdf5"), 3);
  sessions.view_well(
      "phase Density bins=5\nexport_plot histogram a.csv\nnext_snapshot\nwait\n"
      "export_plot histogram b.csv\nphase Density bins=4\nexport_plot histogram four.csv\n"
      "undo\nexport_plot histogram undone.csv\nredo\nexport_plot histogram redone.csv\nwait\n",
      {"a.hdf5", "b.hdf5"});
  sessions.run_well({"phase", "b.hdf5", "-o", "command.csv", "--x", "Density", "--bins", "5"});
  CHECK(sessions.numbers("b.csv") == sessions.numbers("command.csv"));
  CHECK(sessions.numbers("a.csv") != sessions.numbers("b.csv"));
  CHECK(sessions.numbers("undone.csv") == sessions.numbers("b.csv"));
  CHECK(sessions.numbers("redone.csv") == sessions.numbers("four.csv"));
}

TEST_CASE("what cannot be measured is told in a sentence", "[window][measuring]") {
  const Sessions sessions;
  write_gas(sessions.folder.path("a.hdf5"));
  const auto says = [&](const std::string& commands, const std::string& part) {
    const test::Outcome outcome = sessions.view(commands);
    INFO(commands << outcome.out << outcome.err);
    CHECK(outcome.is_fault());
    CHECK(outcome.says(part));
  };
  says("profile at 1 1 1 radii=1e-5,1e-3\nwait\n", "a profile needs 10 particles, and ");
  says("profile at 1 1 1 radii=1,5.5\nwait\n", "radii: 5.5 is beyond half the periodic box, 5");
  says("phase Density range_x=1e20,1e21\nwait\n", "no particle lies in the bins");
  says("profile halos 0\n", "no halos have been found here: find halos first");
  says("select halos 0\n", "no halos have been found here: find halos first");
  says("profile catalog=a.csv\n", "give structure=N too");
  says("profile halos 0 structure=1 catalog=a.csv\n", "no halos have been found");
  says("phase Densty\n", "did you mean Density?");
  says("export_plot profile_density p.csv\n", "`profile` makes it");
  says("export_plot phase p.csv\n", "`phase` makes it");
  says("phase Density\nexport_plot phase p.csv\n", "`phase` makes it");
  says("profile at 5 5 5\nexport_plot profile_spin p.csv\n", "`profile` makes it");
  says("profile at 5 5 5\nexport_plot profile_density p.txt\n", "name it .csv, .svg or .png");
  CHECK_FALSE(sessions.is_there("p.csv"));
}

TEST_CASE("recordings of measurements are played to the same numbers", "[window][measuring]") {
  const Sessions sessions;
  write_gas(sessions.folder.path("a.hdf5"));
  test::put_bytes(sessions.folder.path("commands.txt"),
                  "profile at 50% 5 5 radii=0.5,4\nphase x=Density y=Temperature bins=10\n"
                  "export_plot profile_density p.csv\nexport_plot phase h.csv\nwait\n");
  sessions.run_well({"view", "a.hdf5", "--headless", "--device", "cpu", "--run", "commands.txt",
                     "--record", "recording.txt"});
  const std::string profile = sessions.numbers("p.csv"), phase = sessions.numbers("h.csv");
  for (const char* file : {"p.csv", "h.csv"}) std::filesystem::remove(sessions.folder.path(file));
  CHECK(test::file_bytes(sessions.folder.path("recording.txt")).find("profile center=5,5,5") !=
        std::string::npos);
  sessions.run_well({"view", "a.hdf5", "--headless", "--device", "cpu", "--run", "recording.txt"});
  CHECK(sessions.numbers("p.csv") == profile);
  CHECK(sessions.numbers("h.csv") == phase);
}

}  // namespace haloscope::app::viewer
