#include "compute/distributed/gather_halos.h"

#include "compute/clusters/clustering.h"
#include "compute/distributed/halo_surroundings.h"
#include "compute/distributed/outbox.h"
#include "core/array.h"
#include "core/check.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <utility>

namespace haloscope::compute::distributed {

namespace {

constexpr std::uint32_t kNone = clusters::kNoise;

struct SentParticle {
  std::uint32_t x, y, z;
  float mass;
  float velocity[3];
  std::uint32_t row, halo;  // kNone: not a member of a halo of the receiver
  std::uint32_t unused;
  std::uint64_t id;
};
static_assert(sizeof(SentParticle) == 48);

// By kind, of each row the place of its halo.
std::vector<std::vector<std::uint32_t>> halos_of(const GatherRequest& request) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_label;
  for (std::size_t h = 0; h < request.halos.size(); ++h)
    by_label.emplace_back(request.halos[h].label, std::uint32_t(h));
  std::sort(by_label.begin(), by_label.end());
  std::vector<std::vector<std::uint32_t>> of;
  for (const KindPart& kind : request.kinds) {
    auto& rows = of.emplace_back(kind.groups.size(), kNone);
    tbb::parallel_for(std::size_t(0), rows.size(), [&](std::size_t i) {
      const auto found = std::lower_bound(by_label.begin(), by_label.end(),
                                          std::pair(kind.groups[i], std::uint32_t(0)));
      if (found != by_label.end() && found->first == kind.groups[i]) rows[i] = found->second;
    });
  }
  return of;
}

// What goes to each rank of one kind: particles, rank after rank, in the order of their rows.
class KindOutbox {
 public:
  KindOutbox(const GatherRequest& request, const KindPart& kind,
             const std::vector<ReachedCells>& cells, const std::vector<std::uint32_t>& halo_of,
             std::uint64_t first_row)
      : request_(request), kind_(kind), cells_(cells), halo_of_(halo_of), first_row_(first_row) {
    counts = sort_copies(
        int(cells.size()), kind.count, [&](std::uint64_t i, const auto& use) { each_copy(i, use); },
        [&](std::size_t copies) { particles = Array<SentParticle>(copies); },
        [&](std::size_t to, std::uint64_t i, std::uint32_t halo) {
          particles[to] = packed(i, halo);
        });
  }

  Array<SentParticle> particles;
  std::vector<std::uint64_t> counts;  // by rank

 private:
  // To the rank that measures its halo, and to those that see it among what lies around theirs.
  template <class F>
  void each_copy(std::uint64_t i, const F& use) const {
    const std::uint32_t halo = halo_of_.empty() ? kNone : halo_of_[std::size_t(i)];
    const int worker = halo == kNone ? -1 : request_.workers[halo];
    for (std::size_t rank = 0; rank < cells_.size(); ++rank)
      if (int(rank) == worker)
        use(rank, halo);
      else if (cells_[rank].contains(kind_.position[0][i], kind_.position[1][i],
                                     kind_.position[2][i]))
        use(rank, kNone);
  }

  SentParticle packed(std::uint64_t i, std::uint32_t halo) const {
    SentParticle p{};
    p.x = kind_.position[0][i];
    p.y = kind_.position[1][i];
    p.z = kind_.position[2][i];
    p.mass = kind_.mass_of(i);
    if (kind_.moving)
      for (std::size_t axis = 0; axis < 3; ++axis) p.velocity[axis] = kind_.velocity[axis][i];
    p.row = std::uint32_t(first_row_ + i);
    p.halo = halo;
    if (kind_.id && halo != kNone) p.id = kind_.id[i];
    return p;
  }

  const GatherRequest& request_;
  const KindPart& kind_;
  const std::vector<ReachedCells>& cells_;
  const std::vector<std::uint32_t>& halo_of_;  // empty: a kind without members
  std::uint64_t first_row_;
};

// `places`: by halo its place among this rank's, or kNone. Returns the labels of the particles.
std::vector<std::uint32_t> unpack(std::span<const SentParticle> particles, bool moving,
                                  const std::vector<std::uint32_t>& places,
                                  GatheredHalos::Kind& kind) {
  const std::size_t n = particles.size();
  std::vector<std::uint32_t> labels(n, kNone);
  for (auto& axis : kind.position) axis.resize(n);
  if (moving)
    for (auto& axis : kind.velocity) axis.resize(n);
  kind.mass.resize(n);
  kind.row.resize(n);
  kind.id.resize(n);
  tbb::parallel_for(std::size_t(0), n, [&](std::size_t i) {
    const SentParticle& p = particles[i];
    kind.position[0][i] = p.x;
    kind.position[1][i] = p.y;
    kind.position[2][i] = p.z;
    kind.mass[i] = p.mass;
    for (std::size_t axis = 0; moving && axis < 3; ++axis)
      kind.velocity[axis][i] = p.velocity[axis];
    kind.row[i] = p.row;
    kind.id[i] = p.id;
    if (p.halo != kNone) labels[i] = places[p.halo];
  });
  return labels;
}

// Puts what came from the ranks into the order of the halos. `width` elements each.
template <class T>
std::vector<T> in_order(const std::vector<T>& gathered, const std::vector<std::uint32_t>& halos,
                        std::size_t width = 1) {
  if (gathered.empty()) return {};  // a column that is not known
  HALOSCOPE_CHECK(gathered.size(), ==, halos.size() * width);
  std::vector<T> ordered(gathered.size());
  for (std::size_t i = 0; i < halos.size(); ++i)
    for (std::size_t k = 0; k < width; ++k)
      ordered[std::size_t(halos[i]) * width + k] = gathered[i * width + k];
  return ordered;
}

}  // namespace

GatheredHalos gather_halos(Ranks& ranks, const RankedRows& rows, const GatherRequest& request) {
  const std::vector<std::vector<std::uint32_t>> halo_of = halos_of(request);
  const std::vector<ReachedCells> cells = cells_around_halos(ranks, request, halo_of);
  GatheredHalos gathered;
  std::vector<std::uint32_t> places(request.halos.size(), kNone);
  for (std::size_t h = 0; h < request.halos.size(); ++h)
    if (request.workers[h] == ranks.rank()) {
      places[h] = std::uint32_t(gathered.halos.size());
      gathered.halos.push_back(std::uint32_t(h));
    }
  std::vector<std::vector<std::uint32_t>> labels;
  for (std::size_t k = 0; k < request.kinds.size(); ++k) {
    const KindPart& kind = request.kinds[k];
    LargeVector<SentParticle> here;
    {
      const KindOutbox box(request, kind, cells, halo_of[k], rows.first(k));
      std::vector<std::uint64_t> received;
      here = ranks.exchange_many<SentParticle>({box.particles.data(), box.particles.size()},
                                               box.counts, received);
    }
    labels.push_back(unpack(here, kind.moving, places, gathered.kinds.emplace_back()));
  }
  std::vector<std::span<const std::uint32_t>> views;
  for (std::size_t k = 0; k < labels.size(); ++k)
    views.push_back(request.kinds[k].members ? std::span<const std::uint32_t>(labels[k])
                                             : std::span<const std::uint32_t>());
  gathered.members =
      halos::gather_members(views, gathered.halos.size(), 1, halos::HaloOrder::ByLabel);
  return gathered;
}

halos::HaloProperties collect_properties(Ranks& ranks, const GatheredHalos& gathered,
                                         halos::HaloProperties own) {
  for (std::size_t h = 0; h < own.most_bound_row.size(); ++h)
    own.most_bound_row[h] = gathered.kinds[own.most_bound_slot[h]].row[own.most_bound_row[h]];
  const std::vector<std::uint32_t> halos = ranks.gather<std::uint32_t>(gathered.halos);
  halos::HaloProperties all;
  const auto collect = [&]<class T>(std::vector<T> halos::HaloProperties::*field,
                                    std::size_t width = 1) {
    all.*field = in_order(ranks.gather<T>(std::span<const T>(own.*field)), halos, width);
  };
  using P = halos::HaloProperties;
  const std::size_t kinds = gathered.kinds.size();
  collect(&P::type_length, kinds);
  collect(&P::type_mass, kinds);
  collect(&P::mass);
  collect(&P::center_of_mass);
  collect(&P::most_bound_slot);
  collect(&P::most_bound_row);
  collect(&P::most_bound_position);
  collect(&P::potential);
  collect(&P::sphere);
  collect(&P::half_mass_radius);
  collect(&P::farthest);
  collect(&P::v_max);
  collect(&P::r_max);
  collect(&P::b_to_a);
  collect(&P::c_to_a);
  collect(&P::velocity);
  collect(&P::velocity_dispersion);
  collect(&P::angular_momentum);
  collect(&P::spin);
  all.too_wide = ranks.sum(own.too_wide);
  return all;
}

CollectedMembers collect_members(Ranks& ranks, const GatheredHalos& gathered,
                                 const halos::HaloProperties& own, bool with_ids) {
  const std::size_t kinds = gathered.kinds.size();
  const auto& members = gathered.members;
  const std::size_t runs = members.begin.size() - 1;
  std::vector<std::uint32_t> rows(members.rows.size()), lengths(runs);
  std::vector<std::uint64_t> ids(with_ids ? rows.size() : 0), most_bound;
  tbb::parallel_for(std::size_t(0), runs, [&](std::size_t run) {
    const auto& kind = gathered.kinds[run % kinds];
    lengths[run] = std::uint32_t(members.begin[run + 1] - members.begin[run]);
    for (auto i = std::size_t(members.begin[run]); i < members.begin[run + 1]; ++i) {
      rows[i] = kind.row[members.rows[i]];
      if (with_ids) ids[i] = kind.id[members.rows[i]];
    }
  });
  for (std::size_t h = 0; h < own.most_bound_row.size(); ++h)
    most_bound.push_back(gathered.kinds[own.most_bound_slot[h]].id[own.most_bound_row[h]]);
  const auto halos = ranks.gather<std::uint32_t>(gathered.halos);
  lengths = ranks.gather<std::uint32_t>(lengths);
  rows = ranks.gather<std::uint32_t>(rows);
  ids = ranks.gather<std::uint64_t>(ids);
  most_bound = ranks.gather<std::uint64_t>(most_bound);
  CollectedMembers all;
  if (!ranks.first()) return all;
  all.most_bound = in_order(most_bound, halos);
  const std::vector<std::uint32_t> in_halos = in_order(lengths, halos, kinds);
  all.members.begin.push_back(0);
  for (const std::uint32_t n : in_halos) all.members.begin.push_back(all.members.begin.back() + n);
  all.members.rows.resize(rows.size());
  all.ids.resize(ids.size());
  const auto& begin = all.members.begin;
  std::vector<std::size_t> from{0};  // of each halo in the order in which they came
  for (const std::uint32_t h : halos)
    from.push_back(from.back() + std::size_t(begin[(h + 1) * kinds] - begin[h * kinds]));
  tbb::parallel_for(std::size_t(0), halos.size(), [&](std::size_t k) {
    const auto to = std::ptrdiff_t(begin[halos[k] * kinds]);
    const auto first = std::ptrdiff_t(from[k]), end = std::ptrdiff_t(from[k + 1]);
    std::copy(rows.begin() + first, rows.begin() + end, all.members.rows.begin() + to);
    if (with_ids) std::copy(ids.begin() + first, ids.begin() + end, all.ids.begin() + to);
  });
  return all;
}

}  // namespace haloscope::compute::distributed
