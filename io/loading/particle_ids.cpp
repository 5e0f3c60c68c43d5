#include "io/loading/particle_ids.h"

#include "core/array.h"
#include "core/error.h"
#include "io/loading/column_dispatch.h"

#include <cmath>
#include <cstddef>
#include <type_traits>

namespace haloscope::io {

namespace {

// Text tables hold whole numbers as floating-point ones. A negative or broken one has no ID to be.
template <class T>
std::uint64_t as_id(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kEnd = T(18446744073709551616.0);
    return value >= 0 && value < kEnd ? std::uint64_t(value) : ~std::uint64_t(0);
  } else {
    return std::uint64_t(value);
  }
}

}  // namespace

std::vector<std::uint64_t> load_ids(const SnapshotReader& reader, int type,
                                    const std::vector<std::uint64_t>& left_out,
                                    Progress& progress) {
  const TypeInfo& info = reader.info().types.at(type);
  const FieldInfo* field = info.find(Role::Id);
  if (!field || field->components != 1) return {};
  require_host_memory(info.count * sizeof(std::uint64_t), "the particle IDs");
  std::vector<std::uint64_t> ids(std::size_t(info.count), 0);
  reader.read(
      type, field->name,
      [&](const ColumnChunk& chunk) {
        if (chunk.first + chunk.rows > info.count)
          throw BadFile(field->name + " holds more rows than there are particles",
                        reader.info().files.front(), "copy the file again");
        with_typed_data(chunk, [&](const auto* from) {
          for (std::uint64_t i = 0; i < chunk.rows; ++i) ids[chunk.first + i] = as_id(from[i]);
        });
      },
      progress);
  if (left_out.empty()) return ids;
  std::size_t kept = 0, next = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (next < left_out.size() && left_out[next] == i)
      ++next;
    else
      ids[kept++] = ids[i];
  }
  ids.resize(kept);
  return ids;
}

}  // namespace haloscope::io
