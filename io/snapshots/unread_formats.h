#pragma once

#include <optional>
#include <string>

namespace haloscope::io {

// The name of a format that is known by its folder and not read, with its article: "a RAMSES
// output". `path` is such a folder, or a file or block in it. Nothing for everything else.
std::optional<std::string> unread_format(const std::string& path);

}  // namespace haloscope::io
