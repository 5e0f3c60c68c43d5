#pragma once

#include "core/error.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace haloscope::test {

// An empty folder of one test's own, removed with all that is in it.
class OutputFolder {
 public:
  OutputFolder() {
    // Not by the number of the process: one that was killed leaves its folders to a later one.
    std::string name = (std::filesystem::temp_directory_path() / "haloscope_test_XXXXXX").string();
    if (!mkdtemp(name.data())) throw Error("no folder can be made", name);
    folder_ = name;
  }
  ~OutputFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  std::string path(const std::string& name = {}) const { return (folder_ / name).string(); }
  // Names of everything in the folder, hidden files included, sorted.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path folder_;
};

inline std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void put_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// The message of the Error that `action` throws; empty where it throws none.
template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// message_of while no file may grow beyond `bytes`: stands in for a full disk, which a test cannot
// make without privileges. Nothing else is written meanwhile, Catch2's report included.
template <class Action>
std::string message_with_file_limit(std::uint64_t bytes, Action&& action) {
  auto* former_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit former{};
  getrlimit(RLIMIT_FSIZE, &former);
  const rlimit limited{bytes, former.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limited);
  const std::string message = message_of(action);
  setrlimit(RLIMIT_FSIZE, &former);
  std::signal(SIGXFSZ, former_handler);
  return message;
}

}  // namespace haloscope::test
