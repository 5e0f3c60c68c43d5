#include "core/version.h"

namespace haloscope {

std::string version() {
  return std::string("haloscope ") + HALOSCOPE_VERSION;
}

}  // namespace haloscope
