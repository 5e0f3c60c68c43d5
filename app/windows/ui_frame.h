#pragma once

#include <string>

struct GLFWwindow;
struct ImGuiContext;

namespace haloscope::app::windows {

// Dear ImGui on the current OpenGL context: with a window it reads mouse and keys, without one it
// draws all the same. Several may live at once; the calls of the one between its begin() and end()
// go to that one.
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
  void enter();
  void leave();

  GLFWwindow* window_;
  ImGuiContext* context_;
  ImGuiContext* former_ = nullptr;  // to go back to
};

}  // namespace haloscope::app::windows
