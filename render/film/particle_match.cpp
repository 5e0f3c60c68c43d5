#include "render/film/particle_match.h"

#include "core/check.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstddef>

namespace haloscope::render {

namespace {

constexpr std::uint64_t kNobody = ~std::uint64_t(0);

bool by_id(const IdRow& a, const IdRow& b) {
  return a.id < b.id;
}

TypeMatch match_type(const Array<IdRow>& first, const Array<IdRow>& second) {
  TypeMatch match;
  std::vector<std::uint64_t> partner(first.size(), kNobody);
  std::size_t i = 0, j = 0;
  while (i < first.size() && j < second.size()) {
    if (first[i].id == second[j].id)
      partner[first[i++].row] = second[j++].row;
    else if (first[i].id < second[j].id)
      ++i;
    else
      match.second_only.push_back({second[j++].row});
  }
  for (; j < second.size(); ++j) match.second_only.push_back({second[j].row});
  std::sort(match.second_only.begin(), match.second_only.end(),
            [](const Unpaired& a, const Unpaired& b) { return a.row < b.row; });
  match.both.reserve(second.size() - match.second_only.size());
  for (std::uint64_t row = 0; row < partner.size(); ++row)
    if (partner[row] == kNobody)
      match.first_only.push_back({row});
    else
      match.both.push_back({row, partner[row]});
  return match;
}

// A particle that is left over, with its ID.
struct Left {
  std::uint64_t id = 0;
  std::size_t type = 0;
  Unpaired* particle = nullptr;
};

// Sorted by ID; IDs that several of them have are left out.
std::vector<Left> left_over(const std::vector<Array<IdRow>>& ids, std::vector<TypeMatch>& matches,
                            std::vector<Unpaired> TypeMatch::*side) {
  std::vector<Left> all;
  for (std::size_t type = 0; type < ids.size(); ++type) {
    std::vector<Unpaired>& particles = matches[type].*side;
    if (particles.empty()) continue;
    std::vector<std::uint64_t> id_of(ids[type].size());
    for (const IdRow& one : ids[type]) id_of[one.row] = one.id;
    for (Unpaired& particle : particles) all.push_back({id_of[particle.row], type, &particle});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Left& a, const Left& b) { return a.id < b.id; });
  std::vector<Left> unique;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool repeats =
        (i > 0 && all[i - 1].id == all[i].id) || (i + 1 < all.size() && all[i + 1].id == all[i].id);
    if (!repeats) unique.push_back(all[i]);
  }
  return unique;
}

void match_across_types(const std::vector<Left>& first, const std::vector<Left>& second) {
  std::size_t i = 0, j = 0;
  while (i < first.size() && j < second.size()) {
    const Left &a = first[i], &b = second[j];
    if (a.id == b.id) {
      a.particle->other_type = int(b.type);
      a.particle->other_row = b.particle->row;
      b.particle->other_type = int(a.type);
      b.particle->other_row = a.particle->row;
    }
    if (a.id <= b.id) ++i;
    if (b.id <= a.id) ++j;
  }
}

}  // namespace

Array<IdRow> sort_ids(const std::vector<std::uint64_t>& ids) {
  Array<IdRow> sorted(ids.size());
  tbb::parallel_for(std::size_t(0), ids.size(), [&](std::size_t i) { sorted[i] = {ids[i], i}; });
  tbb::parallel_sort(sorted.begin(), sorted.end(), by_id);
  return sorted;
}

std::optional<std::uint64_t> repeated_id(const Array<IdRow>& sorted) {
  const auto found = std::adjacent_find(
      sorted.begin(), sorted.end(), [](const IdRow& a, const IdRow& b) { return a.id == b.id; });
  if (found == sorted.end()) return {};
  return found->id;
}

std::vector<TypeMatch> match_particles(const std::vector<Array<IdRow>>& first,
                                       const std::vector<Array<IdRow>>& second) {
  HALOSCOPE_CHECK(first.size(), ==, second.size());
  std::vector<TypeMatch> matches;
  for (std::size_t type = 0; type < first.size(); ++type)
    matches.push_back(match_type(first[type], second[type]));
  match_across_types(left_over(first, matches, &TypeMatch::first_only),
                     left_over(second, matches, &TypeMatch::second_only));
  return matches;
}

}  // namespace haloscope::render
