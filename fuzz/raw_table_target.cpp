// Tables without a header: the description in the command line's words, then the data.

#include "core/error.h"
#include "fuzz/input_files.h"
#include "fuzz/read_everything.h"
#include "io/snapshots/raw_description.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haloscope::fuzz;
  const auto parts = split_input(data, size, 2);
  InputFiles files;
  const std::string path = files.add("table.bin", parts.size() > 1 ? parts[1] : "");
  haloscope::io::OpenOptions options;
  try {
    options.raw = haloscope::io::parse_raw_description(parts[0]);
  } catch (const haloscope::Error&) {
    return 0;
  }
  read_snapshot(path, size, options);
  return 0;
}
