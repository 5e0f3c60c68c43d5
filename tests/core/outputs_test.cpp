#include "core/outputs.h"

#include "core/atomic_file.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

using namespace haloscope;
using haloscope::test::OutputFolder;

namespace {

// Outputs go on after the test.
struct Resumed {
  Resumed() { outputs::resume(); }
  ~Resumed() { outputs::resume(); }
};

void write_whole(const std::string& path, bool flush = true) {
  AtomicFile file(path);
  file.write("new", 3);
  file.commit(flush);
}

}  // namespace

TEST_CASE("a process knows what it has written", "[outputs]") {
  const Resumed resumed;
  const OutputFolder folder;
  const std::string one = folder.path("one.csv"), two = folder.path("two.csv");
  CHECK(outputs::written_in_words() == "nothing was written");
  write_whole(folder.path("kept"), false);
  CHECK(outputs::written_in_words() == "nothing was written");
  write_whole(one);
  CHECK(outputs::written_in_words() == one + " was written, nothing else");
  write_whole(two);
  CHECK(outputs::written_in_words() == one + " and " + two + " were written, nothing else");
  for (int k = 0; k < 3; ++k) write_whole(folder.path(std::to_string(k)));
  CHECK(outputs::written_in_words() ==
        one + ", " + two + ", " + folder.path("0") + " and 2 more were written, nothing else");
}

TEST_CASE("outputs that were stopped leave nothing and get no name", "[outputs]") {
  const Resumed resumed;
  const OutputFolder folder;
  test::put_bytes(folder.path(".haloscope-other.tmp"), "of another process");
  test::put_bytes(folder.path("former"), "of a former run");
  std::filesystem::create_directory(folder.path("there"));
  AtomicFile file(folder.path("out")), other(folder.path("there/out")),
      again(folder.path("former"));
  outputs::stop();
  CHECK(folder.files() == std::vector<std::string>{".haloscope-other.tmp", "former", "there"});
  CHECK(std::filesystem::is_empty(folder.path("there")));
  // A library that opens a file by its name may make it once more.
  test::put_bytes(file.temporary_path(), "half");
  for (AtomicFile* const one : {&file, &other, &again})
    CHECK_THAT(test::message_of([&] { one->commit(); }), Catch::Contains("cannot write"));
  CHECK_THAT(test::message_of([&] { const AtomicFile late(folder.path("late")); }),
             Catch::Contains("cannot write"));
  CHECK(folder.files() == std::vector<std::string>{".haloscope-other.tmp", "former", "there"});
  CHECK(outputs::written().empty());
}

TEST_CASE("files of a set get their names together, whoever stops outputs meanwhile", "[outputs]") {
  const Resumed resumed;
  const OutputFolder folder;
  AtomicFile one(folder.path("one")), two(folder.path("two")), beside(folder.path("beside"));
  {
    const outputs::AllOrNone set;
    one.commit();
    outputs::stop();
    two.commit();
  }
  CHECK(folder.files() == std::vector<std::string>{"one", "two"});
  CHECK_THAT(test::message_of([&] { beside.commit(); }), Catch::Contains("cannot write"));
}
