// Halo catalogs in text: Rockstar's lists, AHF's halos, CSV.

#include "fuzz/input_files.h"
#include "fuzz/read_everything.h"
#include "io/catalogs/catalog_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haloscope::fuzz;
  InputFiles files;
  const std::string path =
      files.add("halos.txt", std::string_view(reinterpret_cast<const char*>(data), size));
  haloscope::io::catalog_kind(path);
  read_catalog(path);
  return 0;
}
