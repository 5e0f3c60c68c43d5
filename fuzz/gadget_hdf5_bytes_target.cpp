// HDF5 files as bytes: snapshots of every dialect, halo catalogs, bare positions. Most damage ends
// within libhdf5, whose own faults are found too.

#include "fuzz/input_files.h"
#include "fuzz/read_everything.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haloscope::fuzz;
  InputFiles files;
  const std::string path =
      files.add("snapshot_000.hdf5", std::string_view(reinterpret_cast<const char*>(data), size));
  haloscope::io::OpenOptions options;
  options.allow_missing_files = true;
  read_snapshot(path, size, options);
  read_catalog(path);
  return 0;
}

// What libhdf5 reads beyond its own buffers or forgets to free over damage is not ours to mend, and
// would end each run within seconds; what ends the process without sanitizers is still found.
extern "C" const char* __asan_default_suppressions() {
  return "interceptor_via_lib:libhdf5";
}
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5\nleak:H5";
}
