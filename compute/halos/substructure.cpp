#include "compute/halos/substructure.h"

#include "compute/exec/named_range.h"
#include "compute/halos/apart.h"
#include "core/error.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

namespace haloscope::compute::halos {

namespace {

// Members of some halos side by side: kind after kind, in each halo after halo.
struct Gathered {
  std::array<std::vector<std::uint32_t>, 3> position;
  std::vector<std::uint32_t> halo;
  std::size_t size() const { return position[0].size(); }
  std::array<const std::uint32_t*, 3> data() const {
    return {position[0].data(), position[1].data(), position[2].data()};
  }
};

using Part = FinderInput::Kind::Part;

class SubFinder {
 public:
  SubFinder(const FinderInput& input, const HaloMembership& halos, const FinderSettings& outer,
            const SubstructureSettings& settings)
      : input_(input), halos_(halos), settings_(settings), kinds_(input.kinds.size()) {
    count_ = std::min<std::uint64_t>(settings.halos, halos.halos(kinds_));
    // Friends-of-friends groups are farther apart than their linking length, clusters of DBSCAN may
    // share a border.
    const double reach = settings.finder.clusters.linking_length;
    if (outer.clusters.min_points > 2)
      round_of_ = rounds_apart(input, halos, count_, reach);
    else
      round_of_.assign(std::size_t(count_), 0);
    for (const std::uint32_t round : round_of_) rounds_ = std::max(rounds_, round + 1);
  }

  Substructure run(FinderTools& tools) {
    for (std::size_t kind = 0; kind < kinds_; ++kind)
      labels_.emplace_back(
          input_.kinds[kind].part == Part::None ? 0 : std::size_t(input_.kinds[kind].count),
          clusters::kNoise);
    std::uint64_t labelled = 0;
    for (std::uint32_t round = 0; round < rounds_; ++round)
      labelled = search(tools, round, labelled);
    const std::vector<std::span<const std::uint32_t>> labels(labels_.begin(), labels_.end());
    return by_parent(gather_members(labels, labelled, settings_.finder.min_members));
  }

 private:
  // In the order of the gathered points: use(kind, row, halo).
  template <class Use>
  void each_member(std::uint32_t round, Part part, const Use& use) const {
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      if (input_.kinds[kind].part != part) continue;
      for (std::uint64_t h = 0; h < count_; ++h)
        if (round_of_[std::size_t(h)] == round)
          for (const std::uint32_t row : halos_.run(h, kind, kinds_))
            use(kind, row, std::uint32_t(h));
    }
  }

  void add(Gathered& points, std::size_t kind, std::uint32_t row, std::uint32_t halo) const {
    points.halo.push_back(halo);
    for (std::size_t axis = 0; axis < 3; ++axis)
      points.position[axis].push_back(input_.kinds[kind].position[axis][row]);
  }

  // Clusters the halos of one round, of which none is within reach of another; their labels begin
  // at `first`. Returns where they end.
  std::uint64_t search(FinderTools& tools, std::uint32_t round, std::uint64_t first) {
    Gathered points;
    each_member(round, Part::Linked, [&](std::size_t kind, std::uint32_t row, std::uint32_t halo) {
      add(points, kind, row, halo);
    });
    Timings phases;
    tools.clustering->set_points(input_.domain, points.data(), points.size());
    tools.clustering->run(settings_.finder.clusters, phases);
    auto found = tools.clustering->labels();
    for (std::uint32_t& label : found)
      if (label != clusters::kNoise) label += std::uint32_t(first);
    std::size_t i = 0;
    each_member(round, Part::Linked, [&](std::size_t kind, std::uint32_t row, std::uint32_t) {
      labels_[kind][row] = found[i++];
    });
    attach(tools, round, points, found);
    return first + points.size();
  }

  void attach(FinderTools& tools, std::uint32_t round, const Gathered& linked,
              const std::vector<std::uint32_t>& found) {
    std::uint64_t all = 0, done = 0;
    each_member(round, Part::Attached, [&](std::size_t, std::uint32_t, std::uint32_t) { ++all; });
    if (all == 0) return;
    // The device may not hold points of both at once.
    tools.clustering->set_points(input_.domain, linked.data(), 0);
    tools.neighbors->set_points(linked.data(), linked.size());
    Gathered piece;
    std::vector<std::pair<std::size_t, std::uint32_t>> rows;  // kind, row
    each_member(round, Part::Attached,
                [&](std::size_t kind, std::uint32_t row, std::uint32_t halo) {
                  add(piece, kind, row, halo);
                  rows.emplace_back(kind, row);
                  ++done;
                  if (rows.size() < kAttachedAtOnce && done < all) return;
                  if (tools.progress) tools.progress->report("attach", double(done) / double(all));
                  attach_piece(tools, linked, found, piece, rows);
                  piece = {};
                  rows.clear();
                });
    tools.neighbors->set_points(linked.data(), 0);
  }

  // The linked particle nearest to a member that was attached is in its halo; one of another may be
  // just as near.
  void attach_piece(FinderTools& tools, const Gathered& linked,
                    const std::vector<std::uint32_t>& found, const Gathered& piece,
                    const std::vector<std::pair<std::size_t, std::uint32_t>>& rows) {
    std::vector<std::uint64_t> reach;
    reach.reserve(rows.size());
    for (const auto& [kind, row] : rows)
      reach.push_back(
          squared_reach(input_, input_.kinds[kind], row, settings_.finder.clusters.linking_length));
    const auto nearest = tools.neighbors->nearest(piece.data(), piece.size(),
                                                  *std::max_element(reach.begin(), reach.end()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (nearest[i].index != spatial::kNobodyNear && nearest[i].squared <= reach[i] &&
          linked.halo[nearest[i].index] == piece.halo[i])
        labels_[rows[i].first][rows[i].second] = found[nearest[i].index];
  }

  // Of each row of a kind: the halo, of those that are searched.
  std::vector<std::uint32_t> halo_of_rows(std::size_t kind) const {
    std::vector<std::uint32_t> halo(std::size_t(input_.kinds[kind].count), clusters::kNoise);
    for (std::uint64_t h = 0; h < count_; ++h)
      for (const std::uint32_t row : halos_.run(h, kind, kinds_)) halo[row] = std::uint32_t(h);
    return halo;
  }

  Substructure by_parent(const HaloMembership& by_size) const {
    const auto count = std::size_t(by_size.halos(kinds_));
    std::vector<std::uint32_t> parent(count), order(count);
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      if (!input_.kinds[kind].linked()) continue;
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
  std::vector<std::uint32_t> round_of_;  // by halo
  std::uint32_t rounds_ = 0;
  std::vector<std::vector<std::uint32_t>> labels_;  // by kind and row
};

}  // namespace

std::uint64_t substructure_memory(std::uint64_t linked, std::uint64_t attached) {
  // Labels of all rows; gathered positions, halos and labels of the linked members, then the rows
  // of all members and the halo of each row. Of a piece of the attached ones position, halo, kind
  // and row, reach and neighbor.
  constexpr std::uint64_t kWord = sizeof(std::uint32_t);
  constexpr std::uint64_t kPieceBytes = 4 * kWord + sizeof(std::pair<std::size_t, std::uint32_t>) +
                                        sizeof(std::uint64_t) + sizeof(spatial::Nearest);
  return (linked + attached) * 3 * kWord + linked * 5 * kWord +
         std::min<std::uint64_t>(attached, kAttachedAtOnce) * kPieceBytes;
}

Substructure find_substructure(FinderTools& tools, const FinderInput& input,
                               const HaloMembership& halos, const FinderSettings& halo_settings,
                               const SubstructureSettings& settings, Timings& timings) {
  const clusters::ClusterSettings &inner = settings.finder.clusters,
                                  &outer = halo_settings.clusters;
  if (inner.linking_length > outer.linking_length)
    throw Error("the linking length of substructure is longer than that of the halos",
                "halo finding", "give a shorter one");
  if (inner.min_points < outer.min_points)
    throw Error("the minimum number of points of substructure is below that of the halos",
                "halo finding", "give the same or more");
  const TimedRange timer(timings, "substructure");
  return SubFinder(input, halos, halo_settings, settings).run(tools);
}

}  // namespace haloscope::compute::halos
