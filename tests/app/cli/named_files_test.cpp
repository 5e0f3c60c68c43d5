#include "app/cli/named_files.h"

#include "core/atomic_file.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <filesystem>
#include <string>
#include <vector>

using namespace haloscope;
using namespace haloscope::app::cli;
using haloscope::test::OutputFolder;

namespace {

void write_whole(const std::string& path) {
  AtomicFile file(path);
  file.write("new", 3);
  file.commit();
}

}  // namespace

TEST_CASE("a command that was stopped knows what it has written", "[ranks]") {
  const OutputFolder folder;
  const std::string input = folder.path("in.npy"), output = folder.path("out.hdf5"),
                    pairs = folder.path("pairs.csv");
  test::put_bytes(input, "particles");
  test::put_bytes(pairs, "of a former run");
  const NamedFiles files(
      {"topology", input, "--output=" + output, "--pairs", pairs, "--grid", "8"});
  CHECK(files.written_in_words() == "nothing was written");
  write_whole(pairs);
  CHECK(files.written_in_words() == pairs + " was written, nothing else");
  write_whole(output);
  CHECK(files.written_in_words() == output + " and " + pairs + " were written, nothing else");
}

TEST_CASE("an output that is half written cannot get its name once it was removed", "[ranks]") {
  const OutputFolder folder;
  const std::string output = folder.path("out.hdf5"), other = folder.path(".haloscope-other.tmp");
  test::put_bytes(other, "of another process");
  std::filesystem::create_directory(folder.path("there"));
  test::put_bytes(folder.path("there/linked"), "of a former run");
  std::filesystem::create_symlink(folder.path("there/linked"), folder.path("link"));
  const NamedFiles files({"grid", "-o" + output, folder.path("link")});
  AtomicFile file(output), linked(folder.path("link"));
  files.remove_unfinished();
  CHECK(folder.files() == std::vector<std::string>{".haloscope-other.tmp", "link", "there"});
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("there")))
    CHECK(entry.path().filename() == "linked");
  CHECK_THAT(test::message_of([&] { file.commit(); }), Catch::Contains("cannot write"));
  CHECK(files.written_in_words() == "nothing was written");
}
