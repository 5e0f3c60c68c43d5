#pragma once

#include "tests/skip.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

// Where tests find files. The binary may be carried to a machine without the source tree
// (scripts/bundle); there HALOSCOPE_TEST_ROOT names the folder that stands for it.
namespace haloscope::test {

inline std::string source_dir() {
  const char* root = std::getenv("HALOSCOPE_TEST_ROOT");
  return root && *root ? root : HALOSCOPE_SOURCE_DIR;
}

// The snapshot that the program carries with it.
inline std::string whole_sample() {
  return source_dir() + "/assets/sample.hdf5";
}

// The same. Under the sanitizers a fourth of its particles (tests/CMakeLists.txt): the same code
// runs, in a third of the time.
inline std::string sample_file() {
  const char* sample = std::getenv("HALOSCOPE_TEST_SAMPLE");
  return sample && *sample ? sample : whole_sample();
}

inline bool sample_is_whole() {
  return sample_file() == whole_sample();
}

// A file or folder of the project's test data, which lie beside the source tree ($HALOSCOPE_SHARED
// overrides where). Where they are missing, tells that the caller is skipped and returns nothing:
//   const auto scene = shared_data("data/splotch/s01/scene.par");
//   if (!scene) return;
inline std::optional<std::filesystem::path> shared_data(const std::string& relative) {
  namespace fs = std::filesystem;
  const char* shared = std::getenv("HALOSCOPE_SHARED");
  const fs::path root = shared && *shared ? fs::path(shared) : fs::path(source_dir()) / "../shared";
  std::error_code ignored;
  if (fs::exists(root / relative, ignored)) return root / relative;
  skip(Needs::Shared, "test data " + (root / relative).string() + " are not here");
  return std::nullopt;
}

}  // namespace haloscope::test
