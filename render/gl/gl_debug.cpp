#include "render/gl/gl_debug.h"

#include "core/log.h"

#include <fmt/format.h>

#include <glad/gl.h>

namespace haloscope::render::gl {

namespace {

void note(GlFaults& faults, const std::string& text) {
  if (faults.count++ == 0) faults.first = text;
  log::warn("OpenGL reports a fault", text);
}

bool is_fault(GLenum type) {
  return type == GL_DEBUG_TYPE_ERROR || type == GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR ||
         type == GL_DEBUG_TYPE_PORTABILITY;
}

void GLAD_API_PTR on_message(GLenum, GLenum type, GLuint, GLenum, GLsizei, const GLchar* text,
                             const void* faults) {
  if (is_fault(type)) note(*static_cast<GlFaults*>(const_cast<void*>(faults)), text);
}

}  // namespace

void watch_gl(GlFaults& faults) {
  glEnable(GL_DEBUG_OUTPUT);
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  glDebugMessageCallback(on_message, &faults);
}

void collect_gl_errors(GlFaults& faults) {
  for (GLenum error = glGetError(); error != GL_NO_ERROR; error = glGetError())
    note(faults, fmt::format("error 0x{:04x}", error));
}

}  // namespace haloscope::render::gl
