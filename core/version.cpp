#include "core/version.h"

namespace haloscope {

// Defined in a file of its own that cmake/revision.cmake writes: nothing else is compiled again
// where the commit is another one.
extern const char* const kRevision;

std::string version() {
  return std::string("haloscope ") + HALOSCOPE_VERSION;
}

std::string revision() {
  return kRevision;
}

}  // namespace haloscope
