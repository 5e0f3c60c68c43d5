// --device: a GPU that is not there is refused before anything is written, help and completions
// know the words.

#include "app/cli/view.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace haloscope;
using haloscope::test::OutputFolder;
using haloscope::test::run_program;

namespace {

// No machine has so many.
constexpr const char* kAbsent = "cuda:1000";

std::string sample() {
  return haloscope::test::sample_file();
}

}  // namespace

TEST_CASE("commands refuse a GPU that is not there in one sentence, and write nothing",
          "[app][devices]") {
  const OutputFolder folder, inputs;
  const std::string run_file = inputs.path("run.txt");
  haloscope::test::put_bytes(run_file,
                             "screenshot " + folder.path("still.png") + " bare 32x32\nwait\n");
  std::vector<std::vector<std::string>> commands = {
      {"render", sample(), "-o", folder.path("a.png"), "--size", "32x32"},
      {"render", sample(), "-o", folder.path("a.hdf5"), "--map", "surface-density"},
      {"halos", sample(), "-o", folder.path("h.hdf5"), "--stats", folder.path("s.json")}};
  if (app::cli::has_window())
    commands.push_back({"view", sample(), "--headless", "--run", run_file});
  for (auto words : commands) {
    words.insert(words.end(), {"--device", kAbsent});
    const auto run = run_program(words);
    INFO(words.front() << ": " << run.err);
    CHECK(run.code == 2);
    CHECK(run.says(std::string("--device ") + kAbsent));
    CHECK(folder.files().empty());
  }
}

TEST_CASE("a wrong word for a device is refused with the right ones, before anything is opened",
          "[app][devices]") {
  for (const char* word : {"gpu", "cuda:", "cuda:x", "cuda:-1"}) {
    const OutputFolder folder;
    const auto run = run_program(
        {"render", folder.path("absent.hdf5"), "-o", folder.path("a.png"), "--device", word});
    INFO(run.err);
    CHECK(run.is_fault());
    CHECK(run.says("is not one of auto|cpu|cuda|cuda:N"));
  }
}

TEST_CASE("statistics name the device as ever", "[app][devices]") {
  const OutputFolder folder;
  REQUIRE(
      run_program({"render", sample(), "-o", folder.path("a.png"), "--size", "32x32", "--device",
                   "cpu", "--no-cache", "--types", "gas", "--stats", folder.path("r.json")})
          .code == 0);
  REQUIRE(run_program({"halos", sample(), "-o", folder.path("h.hdf5"), "--device", "cpu", "--stats",
                       folder.path("h.json")})
              .code == 0);
  for (const char* name : {"r.json", "h.json"}) {
    INFO(name);
    const auto stats = nlohmann::json::parse(haloscope::test::file_bytes(folder.path(name)));
    CHECK(stats["device"] == "cpu");
  }
}

TEST_CASE("help and completions know the words for devices", "[app][devices]") {
  for (const char* command : {"render", "movie", "halos", "view", "splotch"})
    CHECK(run_program({command, "--help"}).says("--device auto|cpu|cuda|cuda:N"));
  CHECK(run_program({"--generate", "bash"}).says("words=\"auto cpu cuda\""));
  CHECK(run_program({"--generate", "fish"}).says("-a 'auto cpu cuda'"));
  CHECK(run_program({"--generate", "zsh"}).says("(auto cpu cuda)"));
}
