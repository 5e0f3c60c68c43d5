#pragma once

#include "io/snapshot_reader.h"

#include <string>

namespace haloscope::io {

// One test for three: NaN and infinity survive multiplication by zero, and sums of NaN are NaN.
template <class T>
bool finite_point(const T* p) {
  const double zero = double(p[0]) * 0 + double(p[1]) * 0 + double(p[2]) * 0;
  return zero == 0;
}

inline const std::string& position_field(const SnapshotReader& reader, int type) {
  return reader.info().types.at(type).roles.at(Role::Position);
}

}  // namespace haloscope::io
