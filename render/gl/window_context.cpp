#include "render/gl/window_context.h"

#include "core/error.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace haloscope::render::gl {

namespace {

constexpr const char* kRemedy =
    "haloscope view --headless and haloscope render draw without a display";

std::string reason_of_glfw() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text ? text : "no reason was given";
}

}  // namespace

WindowContext::WindowContext(int width, int height, const std::string& title, bool visible) {
  if (!glfwInit())
    throw Error("no window can be opened: there is no display (" + reason_of_glfw() + ")", {},
                kRemedy);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_VISIBLE, visible ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  window_ = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
  if (!window_) {
    const std::string reason = reason_of_glfw();
    close();
    throw Error("no window with OpenGL 4.5 can be opened (" + reason + ")", {}, kRemedy);
  }
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
  try {
    load(glfwGetProcAddress, "the window");
  } catch (...) {
    close();
    throw;
  }
}

WindowContext::~WindowContext() {
  close();
}

void WindowContext::close() {
  if (window_) glfwDestroyWindow(window_);
  window_ = nullptr;
  glfwTerminate();
}

}  // namespace haloscope::render::gl
