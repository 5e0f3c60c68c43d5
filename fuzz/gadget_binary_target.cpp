// Gadget's formats 1 and 2: the input is one file, or the files of a set.

#include "fuzz/input_files.h"
#include "fuzz/read_everything.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haloscope::fuzz;
  const auto parts = split_input(data, size, 3);
  InputFiles files;
  std::string path;
  for (std::size_t i = parts.size(); i-- > 0;)
    path = files.add(parts.size() == 1 ? "snapshot_000" : "snapshot_000." + std::to_string(i),
                     parts[i]);
  haloscope::io::OpenOptions options;
  options.allow_missing_files = size % 2 == 1;
  read_snapshot(path, size, options);
  return 0;
}
