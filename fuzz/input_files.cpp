#include "fuzz/input_files.h"

#include "core/log.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace haloscope::fuzz {

namespace fs = std::filesystem;

namespace {

// One folder per process; what a crash leaves there is removed by scripts/fuzz.
const std::string& process_folder() {
  static const std::string folder = [] {
    const char* chosen = std::getenv("HALOSCOPE_FUZZ_FOLDER");
    const std::string base =
        chosen ? chosen : "/dev/shm/haloscope-fuzz-" + std::to_string(getpid());
    fs::create_directories(base);
    std::atexit([] {
      std::error_code ignored;
      if (!std::getenv("HALOSCOPE_FUZZ_FOLDER"))
        fs::remove_all("/dev/shm/haloscope-fuzz-" + std::to_string(getpid()), ignored);
    });
    return base;
  }();
  return folder;
}

}  // namespace

std::vector<std::string> split_input(const std::uint8_t* data, std::size_t size, std::size_t most) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (parts.size() + 1 < most) {
    const std::size_t end = all.find(kNextFile, begin);
    if (end == std::string_view::npos) break;
    parts.emplace_back(all.substr(begin, end - begin));
    begin = end + kNextFile.size();
  }
  parts.emplace_back(all.substr(begin));
  return parts;
}

InputFiles::InputFiles() {
  static std::uint64_t executions = 0;
  folder_ = process_folder() + "/" + std::to_string(executions++);
  fs::create_directory(folder_);
}

InputFiles::~InputFiles() {
  // Else the log would keep every sentence of every input, to count them.
  log::flush();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string InputFiles::add(const std::string& name, std::string_view bytes) {
  const std::string to = path(name);
  std::FILE* file = std::fopen(to.c_str(), "wb");
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) std::abort();
  std::fclose(file);
  return to;
}

}  // namespace haloscope::fuzz
