// Stands in for the way from CUDA to OpenGL in builds without a CUDA toolkit.
#include "render/gl/interop.h"

namespace haloscope::render::gl {

std::unique_ptr<Interop> make_interop(compute::Device, std::string& why) {
  why = "this build has no CUDA";
  return nullptr;
}

}  // namespace haloscope::render::gl
