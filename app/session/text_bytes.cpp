#include "app/session/text_bytes.h"

#include "core/visible_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>

namespace haloscope::app::session {

bool needs_bytes(const std::string& text) {
  return visible_text(text) != text;
}

std::string percent_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '%')
      escaped += fmt::format("%{:02X}", byte);
    else
      escaped += c;
  }
  return escaped;
}

std::optional<std::string> percent_unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      plain += text[at];
      continue;
    }
    unsigned byte = 0;
    const char* const begin = text.data() + at + 1;
    if (at + 2 >= text.size() || std::from_chars(begin, begin + 2, byte, 16).ptr != begin + 2)
      return {};
    plain += char(byte);
    at += 2;
  }
  return plain;
}

}  // namespace haloscope::app::session
