// Text tables of particles: CSV and columns parted by blanks.

#include "fuzz/input_files.h"
#include "fuzz/read_everything.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haloscope::fuzz;
  const auto parts = split_input(data, size, 2);
  InputFiles files;
  for (std::size_t i = 0; i < parts.size(); ++i)
    files.add("table" + std::to_string(i) + ".csv", parts[i]);
  // Two parts: a folder of text tables.
  read_snapshot(parts.size() == 1 ? files.path("table0.csv") : files.folder(), size);
  return 0;
}
