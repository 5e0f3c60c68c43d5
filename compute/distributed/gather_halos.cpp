#include "compute/distributed/gather_halos.h"

#include "compute/clusters/clustering.h"
#include "compute/distributed/halo_surroundings.h"
#include "compute/distributed/number_table.h"
#include "compute/distributed/outbox.h"
#include "core/array.h"
#include "core/check.h"
#include "core/give_back.h"

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
std::vector<LargeVector<std::uint32_t>> halos_of(const GatherRequest& request) {
  NumberTable by_label(request.halos.size());
  for (std::size_t h = 0; h < request.halos.size(); ++h)
    by_label.add(request.halos[h].label, std::uint32_t(h));
  std::vector<LargeVector<std::uint32_t>> of;
  for (const KindPart& kind : request.kinds) {
    auto& rows = of.emplace_back(kind.groups.size());
    tbb::parallel_for(std::size_t(0), rows.size(), [&](std::size_t i) {
      rows[i] = kind.groups[i] == clusters::kNoise ? kNone : by_label.of(kind.groups[i]);
    });
  }
  return of;
}

// Particles of one kind of this rank, and to which ranks copies of them go.
class KindCopies {
 public:
  KindCopies(const GatherRequest& request, const KindPart& kind,
             const std::vector<ReachedCells>& cells, const LargeVector<std::uint32_t>& halo_of,
             std::uint64_t first_row)
      : request_(request), kind_(kind), cells_(cells), halo_of_(halo_of), first_row_(first_row) {}

  // Calls use(halo) where the rank measures the particle's halo, or sees it among what lies around
  // its halos: kNone then.
  template <class F>
  void if_needed(std::size_t rank, std::uint64_t i, const F& use) const {
    const std::uint32_t halo = halo_of_.empty() ? kNone : halo_of_[std::size_t(i)];
    if (halo != kNone && request_.workers[halo] == int(rank))
      use(halo);
    else if (cells_[rank].contains(kind_.position[0][i], kind_.position[1][i],
                                   kind_.position[2][i]))
      use(kNone);
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

  std::uint64_t count() const { return kind_.count; }

 private:
  const GatherRequest& request_;
  const KindPart& kind_;
  const std::vector<ReachedCells>& cells_;
  const LargeVector<std::uint32_t>& halo_of_;  // empty: a kind without members
  std::uint64_t first_row_;
};

// What one kind becomes on this rank.
class KindHere {
 public:
  // `places`: by halo its place among this rank's, or kNone.
  KindHere(const std::vector<std::uint32_t>& places, const KindPart& part,
           GatheredHalos::Kind& kind, LargeVector<std::uint32_t>& labels)
      : places_(places), part_(part), kind_(kind), labels_(labels) {}

  void resize(std::size_t particles) {
    for (auto& axis : kind_.position) axis.resize(particles);
    if (part_.moving)
      for (auto& axis : kind_.velocity) axis.resize(particles);
    kind_.mass.resize(particles);
    if (!part_.members) return;
    kind_.row.resize(particles);
    kind_.id.resize(particles);
    labels_.resize(particles);
  }

  void put(std::size_t at, const SentParticle& p) {
    kind_.position[0][at] = p.x;
    kind_.position[1][at] = p.y;
    kind_.position[2][at] = p.z;
    kind_.mass[at] = p.mass;
    for (std::size_t axis = 0; part_.moving && axis < 3; ++axis)
      kind_.velocity[axis][at] = p.velocity[axis];
    if (!part_.members) return;
    kind_.row[at] = p.row;
    kind_.id[at] = p.id;
    labels_[at] = p.halo == kNone ? kNone : places_[p.halo];
  }

 private:
  const std::vector<std::uint32_t>& places_;
  const KindPart& part_;
  GatheredHalos::Kind& kind_;
  LargeVector<std::uint32_t>& labels_;
};

// Brings the copies of all ranks here, in the order of all ranks' rows. Those of this rank go
// straight to their place.
void gather_kind(Ranks& ranks, const KindCopies& copies, KindHere& here) {
  const auto self = std::size_t(ranks.rank());
  LargeVector<SentParticle> sent, heard;
  std::vector<std::uint64_t> received;
  const auto counts = sort_copies(
      ranks.size(), copies.count(),
      [&](std::uint64_t i, const auto& use) {
        for (std::size_t rank = 0; rank < std::size_t(ranks.size()); ++rank)
          if (rank != self) copies.if_needed(rank, i, [&](std::uint32_t halo) { use(rank, halo); });
      },
      [&](std::size_t total) { sent.resize(total); },
      [&](std::size_t to, std::uint64_t i, std::uint32_t halo) {
        sent[to] = copies.packed(i, halo);
      });
  heard = ranks.exchange_many<SentParticle>(sent, counts, received);
  give_back(sent);
  std::size_t before = 0;  // of lower ranks
  for (std::size_t rank = 0; rank < self; ++rank) before += std::size_t(received[rank]);
  std::size_t own = 0;
  sort_copies(
      1, copies.count(),
      [&](std::uint64_t i, const auto& use) {
        copies.if_needed(self, i, [&](std::uint32_t halo) { use(0, halo); });
      },
      [&](std::size_t total) {
        own = total;
        here.resize(heard.size() + own);
      },
      [&](std::size_t to, std::uint64_t i, std::uint32_t halo) {
        here.put(before + to, copies.packed(i, halo));
      });
  tbb::parallel_for(std::size_t(0), heard.size(),
                    [&](std::size_t i) { here.put(i < before ? i : own + i, heard[i]); });
}

// All of them on rank 0, which nobody sets to zero before they come.
template <class T>
LargeVector<T> gather_many(Ranks& ranks, const LargeVector<T>& own) {
  std::vector<std::uint64_t> counts(std::size_t(ranks.size()), 0), received;
  counts.front() = own.size();
  return ranks.exchange_many<T>(own, counts, received);
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
  std::vector<LargeVector<std::uint32_t>> halo_of = halos_of(request);
  const std::vector<ReachedCells> cells = cells_around_halos(ranks, request, halo_of);
  GatheredHalos gathered;
  std::vector<std::uint32_t> places(request.halos.size(), kNone);
  for (std::size_t h = 0; h < request.halos.size(); ++h)
    if (request.workers[h] == ranks.rank()) {
      places[h] = std::uint32_t(gathered.halos.size());
      gathered.halos.push_back(std::uint32_t(h));
    }
  std::vector<LargeVector<std::uint32_t>> labels(request.kinds.size());
  for (std::size_t k = 0; k < request.kinds.size(); ++k) {
    const KindPart& kind = request.kinds[k];
    KindHere here(places, kind, gathered.kinds.emplace_back(), labels[k]);
    gather_kind(ranks, {request, kind, cells, halo_of[k], rows.first(k)}, here);
    give_back(halo_of[k]);
    if (request.gathered) request.gathered(k);
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
  LargeVector<std::uint32_t> rows(members.rows.size());
  LargeVector<std::uint64_t> ids(with_ids ? rows.size() : 0);
  std::vector<std::uint32_t> lengths(runs);
  std::vector<std::uint64_t> most_bound;
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
  rows = gather_many(ranks, rows);
  ids = gather_many(ranks, ids);
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
