// Tipsy: a snapshot, the parameter file beside it, and up to two arrays.

#include "fuzz/input_files.h"
#include "fuzz/read_everything.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haloscope::fuzz;
  static const char* const names[] = {"run.00128", "run.param", "run.00128.den", "run.00128.pot"};
  const auto parts = split_input(data, size, 4);
  InputFiles files;
  for (std::size_t i = 0; i < parts.size(); ++i) files.add(names[i], parts[i]);
  read_snapshot(files.path(names[0]), size);
  return 0;
}
