#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

namespace haloscope::app::session {

// Of haloscope-0001.png, haloscope-0002.png, … in this folder the first that is free; `ending`
// without the dot. For files that the user gives no name.
inline std::string numbered_file(const std::string& ending) {
  for (int n = 1;; ++n) {
    std::string name = fmt::format("haloscope-{:04}.{}", n, ending);
    if (!std::filesystem::exists(name)) return name;
  }
}

// Of still.png, still-0002.png, … the first that is free.
inline std::string free_file(const std::string& path) {
  const std::filesystem::path whole(path);
  std::string name = path;
  for (int n = 2; std::filesystem::exists(name); ++n)
    name = (whole.parent_path() /
            fmt::format("{}-{:04}{}", whole.stem().string(), n, whole.extension().string()))
               .string();
  return name;
}

}  // namespace haloscope::app::session
