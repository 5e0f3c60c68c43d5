#include "analysis/snapshot/places_of_ranks.h"

#include "compute/exec/mpi/rank_watch.h"
#include "core/array.h"

#include <cstdint>
#include <cstring>
#include <span>

namespace haloscope::analysis {

namespace {

// Places, lengths, and twice as much to sort them.
constexpr std::uint64_t kBytesOfPlace = 3 * 4 * sizeof(float);

template <class T>
Array<T> column_of_ranks(compute::Ranks& ranks, const Array<T>& own) {
  const std::vector<T> all = ranks.all_gather<T>(std::span<const T>(own.data(), own.size()));
  Array<T> column(all.size());
  if (!all.empty()) std::memcpy(column.data(), all.data(), all.size() * sizeof(T));
  return column;
}

}  // namespace

bool has_lengths(compute::Ranks& ranks, const ParticleColumns& own) {
  return ranks.sum(int(!own.support_radius.empty())) > 0;
}

ParticleSet places_of_ranks(compute::Ranks& ranks, const ParticleSet& own,
                            const std::vector<bool>& wanted, Progress& progress) {
  ParticleSet all;
  all.domain = own.domain;
  for (std::size_t k = 0; k < own.types.size(); ++k) {
    const ParticleColumns& columns = own.types[k];
    ParticleColumns& whole = all.types.emplace_back();
    whole.type = columns.type;
    whole.name = columns.name;
    whole.weight = columns.weight;
    if (!wanted[k]) {
      whole.support_radius = Array<float>(1);
      continue;
    }
    progress.report("places of all ranks", double(k) / double(own.types.size()));
    whole.count = ranks.sum(columns.count);
    require_host_memory(compute::ranks_of_this_machine(ranks) * whole.count * kBytesOfPlace,
                        "the places of all ranks' particles, once for each rank of a machine");
    for (std::size_t axis = 0; axis < 3; ++axis)
      whole.position[axis] = column_of_ranks(ranks, columns.position[axis]);
    if (has_lengths(ranks, columns))
      whole.support_radius = column_of_ranks(ranks, columns.support_radius);
  }
  return all;
}

}  // namespace haloscope::analysis
