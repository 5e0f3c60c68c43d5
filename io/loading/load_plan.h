#pragma once

#include "io/loading/derived_fields.h"
#include "io/loading/particle_loader.h"

#include <cstdint>
#include <vector>

namespace haloscope::io {

// What one type's request comes to, found before anything is allocated.
struct TypePlan {
  int type = 0;
  const TypeInfo* info = nullptr;
  std::vector<FieldPlan> fields;
  const SmoothingLengthMeaning* smoothing_length = nullptr;
  bool mass = false;        // asked for
  bool mass_field = false;  // and read: it differs from particle to particle

  std::uint64_t bytes_per_particle() const;
};

// Throws Error for unknown types and fields, and for a type that is asked for twice; BadFile where
// a mass or smoothing length has more than one value per particle. Points into `info`.
std::vector<TypePlan> plan_types(const SnapshotInfo& info, const LoadRequest& request);

}  // namespace haloscope::io
