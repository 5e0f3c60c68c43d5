#pragma once

#include "compute/exec/device.h"
#include "render/gl/gl_debug.h"

#include <memory>
#include <optional>
#include <string>

namespace haloscope::render::gl {

// An OpenGL 4.5 core context, current on the thread that made it, whose faults are counted. Not to
// be used from another thread.
class Context {
 public:
  virtual ~Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // "llvmpipe (LLVM 15.0.6, 256 bits)", as the driver says.
  std::string renderer_name() const;
  // The GPU that draws it; nothing where the driver does not tell.
  const std::optional<compute::GpuId>& gpu() const { return gpu_; }
  // Faults so far, those that only glGetError knows included.
  const GlFaults& faults();

 protected:
  Context() = default;
  // Loads OpenGL's functions through `find`, checks the version and watches for faults. `how` names
  // the way in the message ("a window", "EGL"). Throws Error where OpenGL is older than 4.5.
  void load(void (*(*find)(const char*))(), const char* how);

 private:
  GlFaults faults_;
  std::optional<compute::GpuId> gpu_;
};

// A context without a window or display, by EGL: of a GPU where there is one, else of Mesa's
// software renderer. What is drawn goes into a Framebuffer. Throws Error saying what is missing.
std::unique_ptr<Context> make_headless_context();

}  // namespace haloscope::render::gl
