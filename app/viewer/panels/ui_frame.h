#pragma once

#include <vector>

struct GLFWwindow;
struct ImGuiContext;

namespace haloscope::app::viewer {

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
  // A key of GLFW's that went down: the next frame sees it, though it may be up again by then
  // (before 1.87 Dear ImGui looks at what is held when a frame begins). Known weakness: of a key
  // that is pressed twice before a frame, or again before the next one, it sees one press.
  void note_press(int key);
  // Draws what was built since into the framebuffer that is bound.
  void end();
  // Whether events wait for the next frame: from 1.87 on Dear ImGui takes a press and its release
  // in two, so that a word that was typed between two frames needs many.
  bool has_events() const;

 private:
  void hold_pressed_keys();
  void set_modifiers();
  void enter();
  void leave();

  GLFWwindow* window_;
  ImGuiContext* context_;
  ImGuiContext* former_ = nullptr;   // to go back to
  std::vector<int> pressed_, held_;  // keys; held for one frame in the user's place
};

}  // namespace haloscope::app::viewer
