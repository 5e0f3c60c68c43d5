#pragma once

#include "compute/exec/device.h"
#include "compute/splotch/device_image.h"
#include "render/gl/gl_picture.h"

#include <memory>
#include <string>

namespace haloscope::render::gl {

// Brings pictures from a GPU's memory into OpenGL's on the same GPU, not
// through the host. Belongs to the thread and the context that it was made
// with, and must end before them and before the picture that it filled last.
class Interop {
 public:
  virtual ~Interop() = default;
  // Makes `picture` show the frame, which may be let go afterwards. Throws
  // Error with the driver's words.
  virtual void show(const compute::splotch::DeviceImage& frame, Picture& picture) = 0;
  // Lets go of the picture's texture; call before somebody else fills the
  // picture.
  virtual void release() = 0;
};

// For the current context and pictures of this GPU; null where it is not the
// GPU that draws OpenGL, or where this build has no CUDA: `why` gets the reason
// in a few words.
std::unique_ptr<Interop> make_interop(compute::Device device, std::string& why);

}  // namespace haloscope::render::gl
