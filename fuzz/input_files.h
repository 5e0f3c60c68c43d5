#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Where a fuzz target puts its input, so that the readers meet real files.
namespace haloscope::fuzz {

// What parts the files of one input, where a format needs several. Text, so that seeds can be
// written by hand.
inline constexpr std::string_view kNextFile = "\n----\n";

// The input cut at kNextFile; at least one part, at most `most`.
std::vector<std::string> split_input(const std::uint8_t* data, std::size_t size, std::size_t most);

// A folder in memory for the files of one execution, emptied when the object goes. Each execution
// gets a folder of another name: libhdf5 keeps files that it failed to close, and would hand out
// the former content for the same name.
class InputFiles {
 public:
  InputFiles();
  InputFiles(const InputFiles&) = delete;
  InputFiles& operator=(const InputFiles&) = delete;
  ~InputFiles();

  // Writes a file and returns its path.
  std::string add(const std::string& name, std::string_view bytes);
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

}  // namespace haloscope::fuzz
