#include "analysis/snapshot/same_snapshot.h"

#include "tests/catch.h"
#include "tests/output_folder.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace haloscope;
using haloscope::analysis::fingerprints_of;
using haloscope::test::OutputFolder;

namespace {

// A file of zeros, which takes no room, but for the last byte.
void make_file(const std::string& path, std::uint64_t bytes, char last) {
  std::ofstream(path, std::ios::binary);
  std::filesystem::resize_file(path, bytes);
  if (bytes == 0) return;
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(std::streamoff(bytes - 1));
  file.put(last);
}

}  // namespace

TEST_CASE("fingerprints tell files of other sizes and of other last bytes apart", "[ranks]") {
  const OutputFolder folder;
  const std::string a = folder.path("a"), b = folder.path("b");
  // Of many ranks each reads eight blocks. 989134943 bytes: places of blocks that are made of
  // fractions of a double miss the last byte.
  for (const int ranks : {2, 512})
    for (const std::uint64_t bytes :
         {std::uint64_t(1), std::uint64_t(4096), std::uint64_t(4097), std::uint64_t(989134943)}) {
      CAPTURE(ranks, bytes);
      make_file(a, bytes, 'x');
      make_file(b, bytes, 'x');
      const std::vector<std::string> same = fingerprints_of({a, b}, ranks / 2);
      CHECK(same[0] == same[1]);
      make_file(b, bytes, 'y');
      CHECK(fingerprints_of({a}, ranks) != fingerprints_of({b}, ranks));
      make_file(b, bytes + 1, 'x');
      CHECK(fingerprints_of({a}, ranks) != fingerprints_of({b}, ranks));
    }
  CHECK(fingerprints_of({folder.path("nothing")}, 2) == std::vector<std::string>{""});
}
