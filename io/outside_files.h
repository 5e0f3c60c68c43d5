#pragma once

#include "core/error.h"

namespace haloscope::io {

// An HDF5 file shows parts of files outside its folder. Whoever knows the user's options may allow
// it, and tells how.
class OutsideFiles : public BadFile {
 public:
  using BadFile::BadFile;
};

}  // namespace haloscope::io
