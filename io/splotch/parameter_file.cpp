#include "io/splotch/parameter_file.h"

#include "core/text_values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace haloscope::io {

namespace {

constexpr std::size_t kHead = 4096;  // bytes that tell

bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

}  // namespace

bool is_splotch_parameter_file(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string head(kHead, '\0');
  file.read(head.data(), std::streamsize(head.size()));
  head.resize(std::size_t(file.gcount()));
  // A line that is cut off tells nothing.
  if (head.size() == kHead) head.resize(head.find_last_of('\n') + 1);
  std::istringstream lines(head);
  bool names_input = false;
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto equals = line.find('=');
    if (equals == std::string::npos) return false;
    const std::string key = trimmed(line.substr(0, equals));
    if (!is_word(key)) return false;
    names_input = names_input || key == "simtype" || key == "infile";
  }
  return names_input;
}

}  // namespace haloscope::io
