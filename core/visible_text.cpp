#include "core/visible_text.h"

#include <cstddef>
#include <cstdint>

namespace haloscope {

namespace {

// Bytes of the UTF-8 character that `text` begins with, and its number; 0 bytes where it begins
// with none. Neither overlong forms nor surrogates are characters.
struct Character {
  std::size_t bytes = 0;
  std::uint32_t code = 0;
};

Character first_character(std::string_view text) {
  const auto at = [&](std::size_t k) { return std::uint32_t(static_cast<unsigned char>(text[k])); };
  const std::uint32_t first = at(0);
  if (first < 0x80) return {1, first};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = first & (0xffu >> (bytes + 1));
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((at(k) & 0xc0) != 0x80) return {};
    code = code << 6 | (at(k) & 0x3f);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {bytes, code};
}

// The second block of control characters (0x80 to 0x9f) has what moves cursors on some terminals.
bool is_control(std::uint32_t code) {
  return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0);
}

}  // namespace

std::string visible_text(std::string_view text) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string visible;
  visible.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    const std::size_t bytes = c.bytes > 0 ? c.bytes : 1;
    if (c.bytes > 0 && !is_control(c.code)) {
      visible.append(text, 0, bytes);
    } else {
      for (const char byte : text.substr(0, bytes)) {
        const auto value = static_cast<unsigned char>(byte);
        visible += {'\\', 'x', kDigits[value >> 4], kDigits[value & 15]};
      }
    }
    text.remove_prefix(bytes);
  }
  return visible;
}

}  // namespace haloscope
