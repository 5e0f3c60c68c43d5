#include "render/gl/window_context.h"

#include "core/error.h"
#include "render/gl/gl_picture.h"
#include "tests/catch.h"
#include "tests/output_folder.h"
#include "tests/skip.h"

#include <cstdlib>
#include <string>

namespace haloscope::render::gl {

namespace {

// Takes the display away while it lives.
class WithoutDisplay {
 public:
  WithoutDisplay() {
    for (auto& [name, value, had] : kept_) {
      const char* now = std::getenv(name);
      had = now != nullptr;
      if (had) value = now;
      unsetenv(name);
    }
  }
  ~WithoutDisplay() {
    for (const auto& [name, value, had] : kept_)
      if (had) setenv(name, value.c_str(), 1);
  }

 private:
  struct Kept {
    const char* name;
    std::string value;
    bool had;
  };
  Kept kept_[2] = {{"DISPLAY", {}, false}, {"WAYLAND_DISPLAY", {}, false}};
};

}  // namespace

TEST_CASE("without a display the window says how to go on", "[window]") {
  const WithoutDisplay none;
  const std::string said = test::message_of([] { WindowContext(320, 200, "test", false); });
  CHECK(said.find("no display") != std::string::npos);
  CHECK(said.find("haloscope render") != std::string::npos);
}

TEST_CASE("a picture is drawn in a window of the desktop", "[window]") {
  if (!std::getenv("DISPLAY")) {
    return haloscope::test::skip(haloscope::test::Needs::Window,
                                 "there is no display (xvfb-run gives one)");
  }
  WindowContext window(320, 200, "test", false);
  ImageF frame(320, 200, 3);
  for (float& value : frame.pixels) value = 1;
  Picture picture;
  picture.upload(frame);
  const Framebuffer target(320, 200);
  target.bind();
  picture.draw({0, 0, 320, 200}, {0.5, 1}, 1);
  CHECK(int(read_pixels(320, 200).pixels[0]) == 255);
  CHECK(window.faults().count == 0);
}

}  // namespace haloscope::render::gl
