#include "render/gl/gl_context.h"

#include "core/error.h"

#include <fmt/format.h>

#include <glad/gl.h>

namespace haloscope::render::gl {

namespace {

constexpr int kNeeded = GLAD_MAKE_VERSION(4, 5);

std::string driver_string(GLenum name) {
  const GLubyte* text = glGetString(name);
  return text ? reinterpret_cast<const char*>(text) : "unknown";
}

}  // namespace

std::string Context::renderer_name() const {
  return driver_string(GL_RENDERER);
}

const GlFaults& Context::faults() {
  collect_gl_errors(faults_);
  return faults_;
}

void Context::load(void (*(*find)(const char*))(), const char* how) {
  const int version = gladLoadGL(find);
  if (version < kNeeded)
    throw Error(version == 0 ? fmt::format("OpenGL's functions cannot be loaded for {}", how)
                             : fmt::format("OpenGL here is {}.{} ({}), and {} needs 4.5",
                                           GLAD_VERSION_MAJOR(version), GLAD_VERSION_MINOR(version),
                                           renderer_name(), how),
                {}, "pictures need no OpenGL: haloscope render SNAPSHOT -o FILE.png");
  watch_gl(faults_);
}

}  // namespace haloscope::render::gl
