#pragma once

#include "app/viewer/mouse_queue.h"

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
  // What GLFW tells of the window, between frames. No callbacks are installed here: keys must come
  // in turns with the commands that they make (app/viewer/key_queue.h).
  void key(int key, int scancode, int action, int modifiers);
  void letter(unsigned letter);
  void mouse_button(int button, int action, int modifiers);
  void scrolled(double x, double y);
  void cursor_moved(double x, double y);
  void cursor_entered(int entered);
  void focused(int focused);
  // Draws what was built since into the framebuffer that is bound.
  void end();
  // Whether events wait for the next frame: a press and its release need two, so that a word that
  // was typed between two frames needs many.
  bool has_events() const;
  // No frame is to see what the mouse did so far: the window is hidden.
  void forget_mouse() { mouse_.catch_up(); }

 private:
  void enter();
  void leave();
  void take_mouse();

  GLFWwindow* window_;
  ImGuiContext* context_;
  ImGuiContext* former_ = nullptr;  // to go back to
  MouseQueue mouse_;                // stays empty where Dear ImGui has a queue itself
};

}  // namespace haloscope::app::viewer
