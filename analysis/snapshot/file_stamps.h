#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::analysis {

// When each file was written last, and its size: other stamps, other content.
using FileStamps = std::vector<std::pair<std::filesystem::file_time_type, std::uintmax_t>>;
FileStamps stamps_of(const std::vector<std::string>& files);

}  // namespace haloscope::analysis
