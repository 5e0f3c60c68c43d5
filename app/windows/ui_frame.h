#pragma once

#include <string>

struct GLFWwindow;

namespace haloscope::app::windows {

// Dear ImGui on the current OpenGL context: with a window it reads mouse and keys, without one it
// draws all the same.
class UiFrame {
 public:
  // `scale`: content scale times the user's size setting.
  UiFrame(GLFWwindow* window, float scale);
  ~UiFrame();
  UiFrame(const UiFrame&) = delete;
  UiFrame& operator=(const UiFrame&) = delete;

  // Without a window its size and the time since the last frame are told.
  void begin(int width, int height, double seconds);
  // Draws what was built since into the framebuffer that is bound.
  void end();

 private:
  GLFWwindow* window_;
};

}  // namespace haloscope::app::windows
