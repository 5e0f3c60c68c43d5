#include "app/viewer/panels/short_text.h"

#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

float width_of(const std::string& text) {
  return ImGui::CalcTextSize(text.c_str(), text.c_str() + text.size()).x;
}

// UTF-8: bytes inside of a letter begin with 10.
bool is_inside_letter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u;
}

}  // namespace

std::string shortened(const std::string& text, float width) {
  if (width_of(text) <= width) return text;
  std::string head = text;
  while (!head.empty()) {
    while (head.size() > 1 && is_inside_letter(head.back())) head.pop_back();
    head.pop_back();
    const auto end = head.find_last_not_of(' ');
    const std::string tried = head.substr(0, end == std::string::npos ? 0 : end + 1) + "\u2026";
    if (width_of(tried) <= width) return tried;
  }
  return "\u2026";
}

void show_short_text(const std::string& text) {
  const std::string shown = shortened(text, ImGui::GetContentRegionAvail().x);
  ImGui::TextDisabled("%s", shown.c_str());
  if (shown != text && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text.c_str());
}

}  // namespace haloscope::app::viewer
