#pragma once

#include <string>
#include <string_view>

namespace haloscope {

// `text` as valid UTF-8 without control characters, line ends and tabs apart: each byte of a
// control character, and each byte that is not UTF-8, becomes \x1b and the like. Names in files and
// of files may hold any bytes: a terminal obeys the control characters among them, and JSON, HDF5
// and PNG take UTF-8 alone.
std::string visible_text(std::string_view text);

}  // namespace haloscope
