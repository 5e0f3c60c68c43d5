#include "app/session/toml_writer.h"

#include "app/session/text_bytes.h"

#include <algorithm>

namespace haloscope::app::session {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += fmt::format("\\u{:04x}", int(c));
    else
      result += c;
  }
  return result + "\"";
}

void TomlWriter::text(const char* name, const std::string& value) {
  if (value.empty()) return;
  if (needs_bytes(value))
    put(std::string(name) + kBytesKey, quoted(percent_escaped(value)));
  else
    put(name, quoted(value));
}

void TomlWriter::texts(const char* name, const std::vector<std::string>& values) {
  const bool bytes = std::any_of(values.begin(), values.end(), needs_bytes);
  std::string list;
  for (const auto& value : values)
    list += (list.empty() ? "" : ", ") + quoted(bytes ? percent_escaped(value) : value);
  put(name + std::string(bytes ? kBytesKey : ""), "[" + list + "]");
}

}  // namespace haloscope::app::session
