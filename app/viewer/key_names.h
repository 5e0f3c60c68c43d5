#pragma once

#include <string>

namespace haloscope::app::viewer {

// The name by which the command table binds a key of GLFW's with its modifiers ("Ctrl+C", "F12",
// "Shift+M", "Left"); empty for keys that are told as characters instead (+, -, ?, digits).
std::string key_name(int key, int scancode, int modifiers);

}  // namespace haloscope::app::viewer
