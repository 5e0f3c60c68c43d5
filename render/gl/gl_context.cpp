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

bool has_extension(const std::string& name) {
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint k = 0; k < count; ++k) {
    const GLubyte* text = glGetStringi(GL_EXTENSIONS, GLuint(k));
    if (text && name == reinterpret_cast<const char*>(text)) return true;
  }
  return false;
}

// By GL_EXT_memory_object, of which glad knows nothing. Of several GPUs that draw together the
// first.
std::optional<compute::GpuId> find_gpu(void (*(*find)(const char*))()) {
  constexpr GLenum kDeviceUuid = 0x9597;  // GL_DEVICE_UUID_EXT
  using GetBytes = void (*)(GLenum, GLuint, GLubyte*);
  if (!has_extension("GL_EXT_memory_object")) return {};
  const auto get = reinterpret_cast<GetBytes>(find("glGetUnsignedBytei_vEXT"));
  if (!get) return {};
  compute::GpuId id{};
  get(kDeviceUuid, 0, id.data());
  // What a driver says of it that has the extension by name only is no fault of ours.
  if (glGetError() != GL_NO_ERROR) return {};
  return id;
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
  gpu_ = find_gpu(find);
  watch_gl(faults_);
}

}  // namespace haloscope::render::gl
