#include "io/vtk/vtk_xml.h"

#include "core/visible_text.h"

#include <fmt/format.h>

namespace haloscope::io {

std::string vtk_head(const std::string& type) {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<!-- written by haloscope -->\n"
      "<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n",
      type);
}

std::string vtk_escaped(const std::string& text) {
  std::string out;
  for (const char c : visible_text(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string vtk_text_array(const std::string& name, const std::string& text) {
  std::string codes;
  for (const char c : visible_text(text))
    codes += fmt::format("{} ", int(static_cast<unsigned char>(c)));
  return fmt::format(
      "      <DataArray type=\"String\" Name=\"{}\" NumberOfTuples=\"1\" format=\"ascii\">\n"
      "        {}0\n      </DataArray>\n",
      vtk_escaped(name), codes);
}

}  // namespace haloscope::io
