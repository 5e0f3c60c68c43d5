#include "compute/halos/substructure.h"

#include "core/error.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

namespace haloscope::compute::halos {

namespace {

class SubFinder {
 public:
  SubFinder(const FinderInput& input, const HaloMembership& halos,
            const SubstructureSettings& settings)
      : input_(input), halos_(halos), settings_(settings), kinds_(input.kinds.size()) {
    count_ = std::min<std::uint64_t>(settings.halos, halos.halos(kinds_));
  }

  Substructure run(FinderTools& tools) {
    gather();
    Timings phases;
    tools.clustering->set_points(input_.domain,
                                 {position_[0].data(), position_[1].data(), position_[2].data()},
                                 halo_.size());
    tools.clustering->run(settings_.finder.clusters, phases);
    const auto found = tools.clustering->labels();
    return by_parent(
        gather_members(labels_by_kind(found), halo_.size(), settings_.finder.min_members));
  }

 private:
  // Linked members of the halos that are searched, halo after halo.
  void gather() {
    first_.assign(kinds_, {});
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      if (!input_.kinds[kind].linked) continue;
      for (std::uint64_t h = 0; h < count_; ++h) {
        first_[kind].push_back(halo_.size());
        for (const std::uint32_t row : halos_.run(h, kind, kinds_)) {
          for (std::size_t axis = 0; axis < 3; ++axis)
            position_[axis].push_back(input_.kinds[kind].position[axis][row]);
          halo_.push_back(std::uint32_t(h));
        }
      }
    }
  }

  // A border point may lie near a core point of another halo than its own.
  std::uint32_t own_label(std::size_t i, const std::vector<std::uint32_t>& found) const {
    const std::uint32_t label = found[i];
    return label == kNoise || halo_[label] == halo_[i] ? label : kNoise;
  }

  std::vector<std::vector<std::uint32_t>> labels_by_kind(
      const std::vector<std::uint32_t>& found) const {
    std::vector<std::vector<std::uint32_t>> labels;
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      auto& of_kind = labels.emplace_back(std::size_t(input_.kinds[kind].count), kNoise);
      for (std::uint64_t h = 0; h < count_ && input_.kinds[kind].linked; ++h) {
        std::size_t i = first_[kind][std::size_t(h)];
        for (const std::uint32_t row : halos_.run(h, kind, kinds_))
          of_kind[row] = own_label(i++, found);
      }
    }
    return labels;
  }

  // Of each row of a kind: the halo, of those that are searched.
  std::vector<std::uint32_t> halo_of_rows(std::size_t kind) const {
    std::vector<std::uint32_t> halo(std::size_t(input_.kinds[kind].count), kNoise);
    for (std::uint64_t h = 0; h < count_; ++h)
      for (const std::uint32_t row : halos_.run(h, kind, kinds_)) halo[row] = std::uint32_t(h);
    return halo;
  }

  Substructure by_parent(const HaloMembership& by_size) const {
    const auto count = std::size_t(by_size.halos(kinds_));
    std::vector<std::uint32_t> parent(count), order(count);
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      if (!input_.kinds[kind].linked) continue;
      const auto halo = halo_of_rows(kind);
      for (std::size_t s = 0; s < count; ++s)
        if (const auto run = by_size.run(s, kind, kinds_); !run.empty())
          parent[s] = halo[run.front()];
    }
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return parent[a] < parent[b]; });
    Substructure out;
    out.members.begin.push_back(0);
    for (const std::uint32_t s : order) {
      out.parent.push_back(parent[s]);
      for (std::size_t kind = 0; kind < kinds_; ++kind) {
        const auto run = by_size.run(s, kind, kinds_);
        out.members.rows.insert(out.members.rows.end(), run.begin(), run.end());
        out.members.begin.push_back(out.members.rows.size());
      }
    }
    return out;
  }

  const FinderInput& input_;
  const HaloMembership& halos_;
  const SubstructureSettings& settings_;
  std::size_t kinds_;
  std::uint64_t count_ = 0;
  std::array<std::vector<std::uint32_t>, 3> position_;
  std::vector<std::uint32_t> halo_;              // of each gathered point
  std::vector<std::vector<std::size_t>> first_;  // by kind and halo: its first gathered point
};

}  // namespace

Substructure find_substructure(FinderTools& tools, const FinderInput& input,
                               const HaloMembership& halos, const FinderSettings& halo_settings,
                               const SubstructureSettings& settings, Timings& timings) {
  const ClusterSettings &inner = settings.finder.clusters, &outer = halo_settings.clusters;
  if (inner.linking_length > outer.linking_length)
    throw Error("the linking length of substructure is longer than that of the halos",
                "halo finding", "give a shorter one");
  if (inner.min_points < outer.min_points)
    throw Error("the minimum number of points of substructure is below that of the halos",
                "halo finding", "give the same or more");
  const ScopedTimer timer(timings, "substructure");
  return SubFinder(input, halos, settings).run(tools);
}

}  // namespace haloscope::compute::halos
