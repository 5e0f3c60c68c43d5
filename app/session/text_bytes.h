#pragma once

#include <optional>
#include <string>

// Names of files may hold any bytes, and TOML takes UTF-8 alone. A text that is not UTF-8, or that
// holds control characters, stands under a key of its own, whose name ends on kBytesKey, with %XX
// for each byte that is no printable ASCII and for the percent sign itself.
namespace haloscope::app::session {

constexpr const char* kBytesKey = "_bytes";

// Whether TOML cannot hold it as it is.
bool needs_bytes(const std::string& text);

std::string percent_escaped(const std::string& text);
// Nothing where a % is not followed by two hexadecimal digits.
std::optional<std::string> percent_unescaped(const std::string& text);

}  // namespace haloscope::app::session
