#include "app/viewer/key_names.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <array>
#include <cctype>
#include <utility>

namespace haloscope::app::viewer {

namespace {

constexpr std::array<std::pair<int, const char*>, 16> kNamed{{{GLFW_KEY_HOME, "Home"},
                                                              {GLFW_KEY_END, "End"},
                                                              {GLFW_KEY_LEFT, "Left"},
                                                              {GLFW_KEY_RIGHT, "Right"},
                                                              {GLFW_KEY_UP, "Up"},
                                                              {GLFW_KEY_DOWN, "Down"},
                                                              {GLFW_KEY_SPACE, "Space"},
                                                              {GLFW_KEY_ESCAPE, "Escape"},
                                                              {GLFW_KEY_ENTER, "Enter"},
                                                              {GLFW_KEY_TAB, "Tab"},
                                                              {GLFW_KEY_DELETE, "Delete"},
                                                              {GLFW_KEY_INSERT, "Insert"},
                                                              {GLFW_KEY_PAGE_UP, "PageUp"},
                                                              {GLFW_KEY_PAGE_DOWN, "PageDown"},
                                                              {GLFW_KEY_BACKSPACE, "Backspace"},
                                                              {GLFW_KEY_MENU, "Menu"}}};

// Letters as the user's keyboard has them, not as an American one.
std::string plain_name(int key, int scancode) {
  for (const auto& [known, name] : kNamed)
    if (known == key) return name;
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return "F" + std::to_string(key - GLFW_KEY_F1 + 1);
  const char* const printed = glfwGetKeyName(key, scancode);
  if (!printed || printed[1] != 0 || !std::isalpha(static_cast<unsigned char>(printed[0])))
    return {};
  return {char(std::toupper(static_cast<unsigned char>(printed[0])))};
}

}  // namespace

std::string key_name(int key, int scancode, int modifiers) {
  const std::string plain = plain_name(key, scancode);
  if (plain.empty()) return {};
  std::string name;
  if (modifiers & GLFW_MOD_CONTROL) name += "Ctrl+";
  if (modifiers & GLFW_MOD_ALT) name += "Alt+";
  if (modifiers & GLFW_MOD_SHIFT) name += "Shift+";
  return name + plain;
}

}  // namespace haloscope::app::viewer
