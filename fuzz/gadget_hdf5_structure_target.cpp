// HDF5 files that are sound to libhdf5 and lie to its user: the input says what to write.

#include "fuzz/hostile_hdf5.h"
#include "fuzz/input_files.h"
#include "fuzz/read_everything.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haloscope::fuzz;
  Choices choices(data, size);
  InputFiles files;
  const std::string path = files.path("snapshot.0.hdf5");
  write_hostile_hdf5(path, choices);
  haloscope::io::OpenOptions options;
  options.allow_missing_files = size % 2 == 1;
  read_snapshot(path, size, options);
  read_catalog(path);
  return 0;
}

// What libhdf5 forgets to free when it gives up a file is not ours.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5\nleak:H5";
}
