#include "app/session/toml_writer.h"
#include "app/viewer/frame/frame.h"
#include "app/viewer/key_names.h"
#include "app/viewer/key_queue.h"
#include "app/viewer/loops.h"
#include "app/viewer/panels/topmost.h"
#include "app/viewer/screen.h"
#include "render/gl/gl_objects.h"
#include "render/gl/window_context.h"

#include <fmt/format.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <algorithm>
#include <atomic>
#include <cctype>
#include <imgui.h>

namespace haloscope::app::viewer {

namespace {

// Dear ImGui shows some answers to an event a frame or two later.
constexpr int kFramesAfterEvent = 3;
constexpr double kFlight = 0.8;           // widths of the picture per second
constexpr double kLongStep = 0.1;         // s: of a flight, after a stall
constexpr double kInterruptCheck = 0.25;  // s

// Something came from a job, or from mouse and keys: the sleep may have ended late all the same.
std::atomic<bool> woken{false};

// A window with a session in it.
class WindowLoop {
 public:
  WindowLoop(Viewer& viewer, Progress& progress)
      : viewer_(viewer),
        progress_(progress),
        window_(viewer.state().width, viewer.state().height, viewer.title()) {
    viewer_.set_window_gpu(window_.gpu());
    float x = 1, y = 1;
    glfwGetWindowContentScale(handle(), &x, &y);
    viewer_.set_content_scale(std::max(x, 0.5f));
    screen_ = std::make_unique<Screen>(handle());
    glfwSetWindowUserPointer(handle(), this);
    listen_to_keys();
    listen_to_mouse();
    glfwSetDropCallback(handle(), [](GLFWwindow* w, int count, const char** files) {
      std::string line = "open";
      for (int k = 0; k < count; ++k) line += fmt::format(" {}", session::quoted(files[k]));
      self(w).viewer_.push(line);
    });
    glfwSetWindowRefreshCallback(handle(), [](GLFWwindow*) { woken = true; });
    viewer_.set_clipboard_source([this] {
      const char* const text = glfwGetClipboardString(handle());
      return std::string(text ? text : "");
    });
  }

  ~WindowLoop() {
    // Jobs wake this window as long as they run.
    viewer_.stop();
    viewer_.set_clipboard_source({});
  }

  void run() {
    int frames = kFramesAfterEvent;
    while (!viewer_.done() && !glfwWindowShouldClose(handle()) && !progress_.cancelled()) {
      if (frames > 0 || viewer_.animating(glfwGetTime()) || screen_->waits() || keys_.waits() ||
          resizing_ > 0 || flying()) {
        glfwPollEvents();
        frames = std::max(0, frames - 1);
      } else if (sleep()) {
        woken = true;
      } else {
        continue;
      }
      if (woken.exchange(false)) frames = kFramesAfterEvent;
      frame();
    }
    viewer_.stop();
  }

  void write(const std::string& stats) const {
    viewer_.frame_log().write(stats, screen_->uses_interop(), window_.renderer_name());
  }

 private:
  static WindowLoop& self(GLFWwindow* window) {
    return *static_cast<WindowLoop*>(glfwGetWindowUserPointer(window));
  }
  GLFWwindow* handle() const { return window_.handle(); }

  // Until an event, a job's word, or the time to refine the picture; false: only to look for an
  // interrupt, there is nothing to draw.
  bool sleep() const {
    const double begin = glfwGetTime();
    const auto due = viewer_.wake_at();
    const double seconds = std::min(due.value_or(begin + kInterruptCheck) - begin, kInterruptCheck);
    if (seconds <= 0) return true;
    glfwWaitEventsTimeout(seconds);
    const double now = glfwGetTime();
    return woken || now < begin + seconds || (due && now >= *due);
  }

  void listen_to_keys() {
    glfwSetKeyCallback(handle(), [](GLFWwindow* w, int key, int scancode, int action, int mods) {
      woken = true;
      const auto kind = action == GLFW_PRESS    ? KeyEvent::Kind::Press
                        : action == GLFW_REPEAT ? KeyEvent::Kind::Repeat
                                                : KeyEvent::Kind::Release;
      self(w).keys_.add({kind, key, scancode, mods, 0});
    });
    glfwSetCharCallback(handle(), [](GLFWwindow* w, unsigned letter) {
      woken = true;
      self(w).keys_.add({KeyEvent::Kind::Letter, 0, 0, 0, letter});
    });
    glfwSetWindowFocusCallback(handle(), [](GLFWwindow* w, int focused) {
      woken = true;
      if (auto* ui = self(w).screen_->ui()) ui->focused(focused);
    });
  }

  void listen_to_mouse() {
    glfwSetCursorPosCallback(handle(), [](GLFWwindow* w, double x, double y) {
      woken = true;
      if (auto* ui = self(w).screen_->ui()) ui->cursor_moved(x, y);
    });
    glfwSetCursorEnterCallback(handle(), [](GLFWwindow* w, int entered) {
      woken = true;
      if (auto* ui = self(w).screen_->ui()) ui->cursor_entered(entered);
    });
    glfwSetMouseButtonCallback(handle(), [](GLFWwindow* w, int button, int action, int mods) {
      woken = true;
      if (auto* ui = self(w).screen_->ui()) ui->mouse_button(button, action, mods);
      // A press may enter or leave a field.
      if (action == GLFW_PRESS && self(w).fields_listen()) self(w).keys_.settle();
    });
    glfwSetScrollCallback(handle(), [](GLFWwindow* w, double x, double y) {
      woken = true;
      if (auto* ui = self(w).screen_->ui()) ui->scrolled(x, y);
    });
  }

  // Whether a field has the keys, or may have them after a press of the mouse.
  bool fields_listen() {
    if (!screen_->ui()) return false;
    return ImGui::GetIO().WantTextInput || ImGui::GetIO().WantCaptureMouse;
  }

  // Returns whether somebody else may have the keys from now on.
  bool take_key(const KeyEvent& event) {
    using Kind = KeyEvent::Kind;
    UiFrame* const ui = screen_->ui();
    if (!ui) return false;
    const bool typing = ImGui::GetIO().WantTextInput;
    if (event.kind == Kind::Letter) {
      ui->letter(event.letter);
      const unsigned letter = event.letter;
      if (typing || letter >= 128 || std::isalpha(int(letter)) || letter == ' ') return false;
      return do_key(std::string(1, char(letter)));
    }
    const int action = event.kind == Kind::Press    ? GLFW_PRESS
                       : event.kind == Kind::Repeat ? GLFW_REPEAT
                                                    : GLFW_RELEASE;
    if (event.key == GLFW_KEY_TAB && event.kind != Kind::Release && !typing)
      lead_tab(viewer_.state().snapshot().empty());
    ui->key(event.key, event.scancode, action, event.modifiers);
    if (event.kind == Kind::Release) return false;
    const bool leaves = event.key == GLFW_KEY_TAB || event.key == GLFW_KEY_ENTER ||
                        event.key == GLFW_KEY_KP_ENTER || event.key == GLFW_KEY_ESCAPE;
    // Text fields keep what they can understand.
    const bool function = event.key >= GLFW_KEY_F1 && event.key <= GLFW_KEY_F12;
    if (typing && !function && !is_for_program(event)) return leaves;
    return do_key(key_name(event.key, event.scancode, event.modifiers)) || leaves;
  }

  // Ctrl with a letter of which text fields make nothing, as Ctrl+Q; by the letter that is printed
  // on the key.
  static bool is_for_program(const KeyEvent& event) {
    const std::string name = key_name(event.key, event.scancode, event.modifiers);
    const std::string letters = "ACVXYZ";
    return name.size() == 6 && name.starts_with("Ctrl+") && name[5] >= 'A' && name[5] <= 'Z' &&
           letters.find(name[5]) == std::string::npos;
  }

  // What a key means where no text is typed; whether it may open a field.
  bool do_key(const std::string& name) {
    if (name.empty()) return false;
    viewer_.end_notice();
    // It closes the line for commands, and stops no job behind it.
    if (name == "Escape" && viewer_.is_open("commands")) return false;
    if (name == "Escape" && close_topmost(viewer_.open_sheets(),
                                          [this](const std::string& line) { viewer_.push(line); }))
      return false;
    const auto line = session::line_for_key(name, viewer_.chosen_type());
    if (!line) return false;
    viewer_.push(*line);
    return line->starts_with("panel ");
  }

  bool is_down(int key) const { return glfwGetKey(handle(), key) == GLFW_PRESS; }

  bool flying() const {
    if (keys_.waits() || (ImGui::GetCurrentContext() && ImGui::GetIO().WantTextInput)) return false;
    if (is_down(GLFW_KEY_LEFT_CONTROL) || is_down(GLFW_KEY_RIGHT_CONTROL)) return false;
    return is_down(GLFW_KEY_W) || is_down(GLFW_KEY_A) || is_down(GLFW_KEY_S) || is_down(GLFW_KEY_D);
  }

  void fly(double seconds) {
    if (!flying() || !viewer_.has_picture() || !viewer_.state().camera) return;
    const double step = kFlight * std::min(seconds, kLongStep);
    const double forward = double(is_down(GLFW_KEY_W)) - double(is_down(GLFW_KEY_S));
    const double right = double(is_down(GLFW_KEY_D)) - double(is_down(GLFW_KEY_A));
    if (forward != 0 || right != 0)
      viewer_.push(fmt::format("fly {} {}", forward * step, right * step));
  }

  void frame() {
    int width = 0, height = 0;
    glfwGetFramebufferSize(handle(), &width, &height);
    const double now = glfwGetTime(), seconds = now - last_;
    last_ = now;
    keys_.deliver([this](const KeyEvent& event) { return take_key(event); });
    fly(seconds);
    // Minimized: jobs go on, nothing is drawn.
    PictureArea area;
    if (width > 0 && height > 0) {
      area = Screen::picture_area(viewer_, width, height);
      viewer_.set_picture_size(int(area.width), int(area.height));
    }
    viewer_.set_resizing(resizing_ > 0);
    viewer_.update(now);
    obey();
    if (width < 1 || height < 1) {
      if (auto* ui = screen_->ui()) ui->forget_mouse();
      return;
    }
    follow(width, height);
    screen_->serve(viewer_, width, height, area);
    render::gl::bind_window(width, height);
    render::gl::clear_window();
    screen_->draw(viewer_, width, height, now, seconds);
    glfwSwapBuffers(handle());
    viewer_.note_frame(glfwGetTime());
  }

  // The user has made the window another size, or the display when it opened, unless a command has
  // just asked for one: commands come first.
  void follow(int width, int height) {
    if (width == viewer_.state().width && height == viewer_.state().height)
      resizing_ = 0;
    else if (resizing_ > 0)
      --resizing_;
    else
      viewer_.push(fmt::format("size {} {}", width, height));
  }

  // What commands want of the window.
  void obey() {
    if (const auto size = viewer_.take_resize()) {
      int width = 0, height = 0;
      glfwGetFramebufferSize(handle(), &width, &height);
      if (width != (*size)[0] || height != (*size)[1]) {
        glfwSetWindowSize(handle(), (*size)[0], (*size)[1]);
        resizing_ = kFramesToResize;
      }
    }
    if (const auto text = viewer_.take_clipboard()) glfwSetClipboardString(handle(), text->c_str());
    if (const std::string title = viewer_.title(); title != title_) {
      title_ = title;
      glfwSetWindowTitle(handle(), title.c_str());
    }
  }

  // A window manager needs some frames to follow, or does not.
  static constexpr int kFramesToResize = 20;

  Viewer& viewer_;
  Progress& progress_;
  render::gl::WindowContext window_;
  std::unique_ptr<Screen> screen_;
  KeyQueue keys_;
  std::string title_;
  double last_ = 0;
  int resizing_ = 0;
};

}  // namespace

void run_window(Viewer& viewer, const std::string& stats, Progress& progress) {
  WindowLoop loop(viewer, progress);
  loop.run();
  if (!stats.empty()) loop.write(stats);
}

void wake_window() {
  woken = true;
  glfwPostEmptyEvent();
}

}  // namespace haloscope::app::viewer
