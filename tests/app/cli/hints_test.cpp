// What commands say of files and words that another command, another option, is for.

#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/made/npy_files.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::test;

namespace {

struct Hints {
  OutputFolder folder;
  std::string cells = folder.path("cells.npy"), raw = folder.path("cells.raw");
  std::string out = folder.path("out.csv");

  Hints() {
    const std::string values = raw_bytes(std::vector<float>{1, 2, 1, 3, 1, 2, 4, 1});
    put_bytes(cells, npy_bytes("'<f4'", "(2, 2, 2)", values));
    put_bytes(raw, values);
  }
  void fails(const std::vector<std::string>& words, const std::string& why) const {
    const Outcome outcome = run_program(words);
    INFO(outcome.err + outcome.out);
    CHECK(outcome.is_fault());
    CHECK(outcome.says(why));
  }
};

}  // namespace

TEST_CASE("a grid that is taken for something else is led to its command", "[cli][peaks]") {
  const Hints hints;
  hints.fails({"clusters", hints.cells, "-o", hints.out},
              "if it is a grid, 'haloscope topology' finds its peaks");
  hints.fails({"topology", hints.raw, "-o", hints.out},
              "'haloscope topology --raw-grid' reads a grid of raw values");
  hints.fails({"topology", hints.cells, "-o", hints.out, "--dataset", "Nope"},
              "has no name to be chosen by: Nope is not looked for; leave out --dataset");
  hints.fails({"topology", hints.raw, "-o", hints.out, "--raw-grid", "f4:2x2x2", "--dataset", "x"},
              "leave out --dataset");
  CHECK(run_program({"topology", hints.cells, "-o", hints.out}).code == 0);
}

TEST_CASE("words that are too many are told from commands that are not there", "[cli]") {
  const Hints hints;
  hints.fails({"topolgy"}, "there is no command 'topolgy'; did you mean topology?");
  hints.fails({"topology", hints.cells, "more.npy", "-o", hints.out},
              "'more.npy' is one word more than the command takes");
}

TEST_CASE("a table that is read as a snapshot says so of its weights", "[cli][clusters]") {
  const Hints hints;
  const std::string named = hints.folder.path("named.csv"), bare = hints.folder.path("bare.csv");
  std::string rows;
  for (int k = 0; k < 60; ++k) {
    const std::string n = std::to_string(k);
    rows += n + "." + n + "," + std::to_string(k % 7) + "," + std::to_string(k % 11) + ",2\n";
  }
  put_bytes(named, "x,y,z,w\n" + rows);
  put_bytes(bare, rows);
  hints.fails({"clusters", named, "-o", hints.out, "--weights", "w"},
              "the file is read as a snapshot, whose particles have no weights 'w'");
  CHECK(run_program({"clusters", bare, "-o", hints.out, "--weights", "3"}).code == 0);
}
