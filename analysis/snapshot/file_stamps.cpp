#include "analysis/snapshot/file_stamps.h"

#include <system_error>

namespace haloscope::analysis {

FileStamps stamps_of(const std::vector<std::string>& files) {
  FileStamps stamps;
  for (const std::string& file : files) {
    std::error_code failed;
    const auto time = std::filesystem::last_write_time(file, failed);
    const auto size = std::filesystem::file_size(file, failed);
    stamps.emplace_back(time, size);
  }
  return stamps;
}

}  // namespace haloscope::analysis
