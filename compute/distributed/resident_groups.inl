#pragma once

#include "compute/distributed/find_ghosts.inl"
#include "compute/distributed/join_names.inl"
#include "compute/distributed/resident_groups.h"
#include "compute/exec/atomics.h"
#include "compute/exec/phases.h"
#include "compute/spatial/points.h"
#include "core/error.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace haloscope::compute::distributed {

template <class Exec>
using PointAxes = std::array<Buffer<std::uint32_t, Exec>, 3>;

struct CopyWords {
  const std::uint32_t* from;
  std::uint32_t* to;
  HALOSCOPE_HD void operator()(std::size_t i) const { to[i] = from[i]; }
};

struct CopyBox {
  const std::uint32_t* from;
  std::uint32_t per_side, corner;
  std::uint32_t* to;
  HALOSCOPE_HD void operator()(std::size_t i) const { to[i] = corner + from[i] / per_side; }
};

struct UnpackGhosts {
  const Ghost* ghosts;
  std::uint32_t *x, *y, *z;
  std::uint64_t* number;
  HALOSCOPE_HD void operator()(std::size_t g) const {
    const Ghost ghost = ghosts[g];
    x[g] = ghost.x;
    y[g] = ghost.y;
    z[g] = ghost.z;
    number[g] = std::uint64_t(ghost.number_high) << 32 | ghost.number_low;
  }
};

// The lowest and the highest code of points. Each thread takes some, far from one another, so that
// neighboring threads read what lies side by side.
struct FindEnds {
  static constexpr std::size_t kPoints = 1024;  // of a thread
  const std::uint32_t *x, *y, *z;
  std::size_t count, threads;
  std::uint64_t *lowest, *highest;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    std::uint64_t low = ~std::uint64_t(0), high = 0;
    for (std::size_t i = k; i < count; i += threads) {
      const std::uint64_t code = spatial::morton_code(x[i], y[i], z[i]);
      low = code < low ? code : low;
      high = code > high ? code : high;
    }
    atomic_minimum(lowest, low);
    atomic_maximum(highest, high);
  }
};

struct SampleCodes {
  const std::uint32_t *x, *y, *z;
  std::size_t first, step;
  std::uint64_t* codes;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const std::size_t i = first + k * step;
    codes[k] = spatial::morton_code(x[i], y[i], z[i]);
  }
};

// Own points and the ghosts behind them, as a clustering takes them.
class OwnAndGhosts final : public spatial::PointSet {
 public:
  OwnAndGhosts(Device device, const haloscope::Domain& domain, const spatial::PointsView& view)
      : device_(device), domain_(domain), view_(view) {}
  Device device() const override { return device_; }
  const haloscope::Domain& domain() const override { return domain_; }
  std::uint64_t count() const override { return view_.count; }
  spatial::Positions positions() const override { return view_.position; }
  spatial::HeldPoints hold() const override { return {view_, {}}; }
  void copy(const std::array<std::uint32_t*, 3>&) const override {
    throw Error("points of a rank are not copied from here", "ranks");
  }

 private:
  Device device_;
  haloscope::Domain domain_;
  spatial::PointsView view_;
};

template <class Exec>
class ResidentGroupsOn final : public ResidentGroups {
 public:
  ResidentGroupsOn(Device device, Ranks& ranks, DeviceRanks& wire)
      : exec_(device), ranks_(ranks), wire_(wire), clustering_(clusters::make_clustering(device)) {}

  void set_points(const haloscope::Domain& domain,
                  const std::array<const std::uint32_t*, 3>& position, std::uint64_t count,
                  std::uint64_t first) override {
    make_room(domain, count, first);
    for (std::size_t a = 0; count > 0 && a < 3; ++a)
      exec_.upload(axes_[a].data(), position[a], std::size_t(count) * sizeof(std::uint32_t));
    exec_.synchronize();
    cut_domains();
  }

  void set_copies(const haloscope::Domain& domain,
                  const std::array<const std::uint32_t*, 3>& position, std::uint64_t count,
                  const BoxCopies& copies, std::uint64_t first) override {
    make_room(domain, count * copies.places.size(), first);
    for (std::size_t a = 0; a < 3; ++a) {
      Buffer<std::uint32_t, Exec> box(exec_, std::size_t(count), "positions");
      if (count > 0) exec_.upload(box.data(), position[a], box.size() * sizeof(std::uint32_t));
      for (std::size_t c = 0; c < copies.places.size(); ++c) {
        const auto corner =
            std::uint32_t((std::uint64_t(copies.places[c][a]) << 32) / copies.per_side);
        parallel_for(
            exec_, "positions", box.size(),
            CopyBox{box.data(), copies.per_side, corner, axes_[a].data() + c * std::size_t(count)});
      }
      exec_.synchronize();
    }
    cut_domains();
  }

  LinkedOverRanks link(const clusters::ClusterSettings& settings, Timings& timings) override {
    if (settings.min_points != 2)
      throw Error("several ranks cannot find clusters of DBSCAN yet", "ranks");
    LinkedOverRanks linked;
    groups_ = {};
    Phases<Exec> phases(exec_, timings);
    phases.begin("ghosts");
    auto sent = find_ghosts(exec_, position(), own_, first_, ranks_.rank(), cuts_,
                            reach_in_steps(settings.linking_length));
    linked.looked_at = sent.looked_at;
    const std::vector<std::uint64_t> received = exchange_counts(sent.counts);
    Buffer<std::uint64_t, Exec> ghost_numbers = receive_ghosts(sent, received);
    linked.ghosts = ghost_numbers.size();
    sent.ghosts = {};
    phases.end();

    const std::uint64_t all = std::uint64_t(own_) + ghost_numbers.size();
    if (all >= clusters::kNoise)
      throw Error(std::to_string(all) + " points and ghosts are more than one rank can link",
                  "ranks", "use more ranks");
    if (all > 0) {
      clustering_->set_points({std::make_shared<OwnAndGhosts>(
          exec_.device(), domain_,
          spatial::PointsView{position(), nullptr, std::uint32_t(all), false})});
      clustering_->run(settings, timings);
    }

    phases.begin("join");
    const GroupNames names{clustering_->resident_labels(), own_, first_, ghost_numbers.data()};
    const auto pairs = pairs_of_all(names, sent, received, ghost_numbers.size());
    linked.pairs = pairs.size();
    auto joined = join_names(exec_, pairs);
    linked.renamed = joined.count;
    groups_ = Buffer<std::uint64_t, Exec>(exec_, own_, "groups");
    parallel_for(exec_, "groups", own_,
                 WriteNames{names,
                            {joined.names.data(), joined.count},
                            joined.renamed.data(),
                            {joined.marks.data(), joined.bits},
                            groups_.data()});
    phases.end();
    clustering_->set_points({});
    return linked;
  }

  std::vector<std::uint64_t> groups() const override { return download(exec_, groups_); }
  std::uint64_t peak_device_memory() const override { return clustering_->peak_device_memory(); }

 private:
  static constexpr std::uint64_t kSamplesPerRank = 16384;

  spatial::Positions position() const {
    return {axes_[0].data(), axes_[1].data(), axes_[2].data()};
  }

  // A hair more than the length: coordinates are rounded.
  std::uint32_t reach_in_steps(double length) const {
    constexpr double kMost = 2147483647;
    return std::uint32_t(std::min(std::ceil(length / domain_.step()) + 1, kMost));
  }

  // And for ghosts: few where there are many points.
  void make_room(const haloscope::Domain& domain, std::uint64_t count, std::uint64_t first) {
    if (count >= clusters::kNoise)
      throw Error(std::to_string(count) + " points are more than one rank can link", "ranks",
                  "use more ranks");
    groups_ = {};
    for (auto& axis : axes_) axis = {};
    domain_ = domain;
    own_ = std::uint32_t(count);
    first_ = first;
    const std::size_t room = std::size_t(count + count / 64 + 1024);
    for (auto& axis : axes_) axis = Buffer<std::uint32_t, Exec>(exec_, room, "positions");
  }

  // Between the stretches that the ranks have; where these overlap, by a sample.
  void cut_domains() {
    const std::vector<std::uint64_t> ends = lowest_and_highest();
    const std::vector<std::uint64_t> all = ranks_.all_gather<std::uint64_t>(ends);
    cuts_.clear();
    std::uint64_t behind = 0;
    bool apart = true;
    for (int r = 0; r < ranks_.size(); ++r) {
      const std::uint64_t low = all[2 * std::size_t(r)], high = all[2 * std::size_t(r) + 1];
      const bool empty = low > high;
      apart = apart && (empty || r == 0 || low >= behind);
      if (r > 0) cuts_.push_back(empty ? behind : low);
      if (!empty) behind = high + 1;
    }
    if (!apart) sample_domains();
  }

  std::vector<std::uint64_t> lowest_and_highest() {
    std::vector<std::uint64_t> ends{~std::uint64_t(0), 0};
    if (own_ == 0) return ends;
    auto on_device = upload(exec_, ends, "codes");
    const std::size_t threads = (own_ + FindEnds::kPoints - 1) / FindEnds::kPoints;
    parallel_for(exec_, "codes", threads,
                 FindEnds{axes_[0].data(), axes_[1].data(), axes_[2].data(), own_, threads,
                          on_device.data(), on_device.data() + 1});
    return download(exec_, on_device);
  }

  void sample_domains() {
    const std::uint64_t all = ranks_.sum(std::uint64_t(own_));
    const std::uint64_t step =
        std::max<std::uint64_t>(1, all / (kSamplesPerRank * std::uint64_t(ranks_.size())));
    const std::uint64_t begin = step / 2;
    const std::size_t samples = own_ > begin ? std::size_t((own_ - begin - 1) / step + 1) : 0;
    Buffer<std::uint64_t, Exec> on_device(exec_, samples, "codes");
    parallel_for(exec_, "codes", samples,
                 SampleCodes{axes_[0].data(), axes_[1].data(), axes_[2].data(), std::size_t(begin),
                             std::size_t(step), on_device.data()});
    auto codes = ranks_.all_gather<std::uint64_t>(download(exec_, on_device));
    std::sort(codes.begin(), codes.end());
    cuts_.clear();
    for (int r = 1; r < ranks_.size(); ++r) {
      const std::uint64_t at = part_begin(codes.size(), r, ranks_.size());
      cuts_.push_back(codes.empty() ? 0 : codes[std::size_t(std::min(at, codes.size() - 1))]);
    }
  }

  std::vector<std::uint64_t> exchange_counts(const std::vector<std::uint64_t>& counts) {
    const std::vector<std::uint64_t> one_each(counts.size(), 1);
    std::vector<std::uint64_t> unused;
    return ranks_.exchange<std::uint64_t>(counts, one_each, unused);
  }

  // Moves runs of elements, one rank's behind the other's.
  template <class T>
  void move(const T* out, const std::vector<std::uint64_t>& sent, T* in,
            const std::vector<std::uint64_t>& received) {
    std::vector<Outgoing> going;
    std::vector<Incoming> coming;
    for (std::size_t r = 0; r < sent.size(); ++r) {
      if (int(r) == ranks_.rank()) continue;
      going.push_back({int(r), out, sent[r] * sizeof(T)});
      coming.push_back({int(r), in, received[r] * sizeof(T)});
      out += sent[r];
      in += received[r];
    }
    exec_.synchronize();
    wire_.move(going, coming);
  }

  // Puts them behind this rank's points; returns their numbers.
  Buffer<std::uint64_t, Exec> receive_ghosts(const GhostsForOthers<Exec>& sent,
                                             const std::vector<std::uint64_t>& received) {
    std::uint64_t count = 0;
    for (const std::uint64_t n : received) count += n;
    Buffer<Ghost, Exec> ghosts(exec_, std::size_t(count), "ghosts");
    move(sent.ghosts.data(), sent.counts, ghosts.data(), received);
    grow(std::size_t(own_ + count));
    Buffer<std::uint64_t, Exec> numbers(exec_, std::size_t(count), "ghosts");
    parallel_for(exec_, "ghosts", ghosts.size(),
                 UnpackGhosts{ghosts.data(), axes_[0].data() + own_, axes_[1].data() + own_,
                              axes_[2].data() + own_, numbers.data()});
    exec_.synchronize();
    return numbers;
  }

  void grow(std::size_t count) {
    if (count <= axes_[0].size()) return;
    for (auto& axis : axes_) {
      Buffer<std::uint32_t, Exec> wider(exec_, count + count / 64, "positions");
      parallel_for(exec_, "positions", own_, CopyWords{axis.data(), wider.data()});
      axis = std::move(wider);
    }
  }

  // Of names that are one group's, by what the ranks say of points that several of them have.
  std::vector<NamePair> pairs_of_all(const GroupNames& names, const GhostsForOthers<Exec>& sent,
                                     const std::vector<std::uint64_t>& received,
                                     std::size_t ghosts) {
    Buffer<std::uint64_t, Exec> said(exec_, ghosts, "names of ghosts");
    parallel_for(exec_, "names of ghosts", ghosts, NameGhosts{names, said.data()});
    Buffer<std::uint64_t, Exec> heard(exec_, sent.index.size(), "names of ghosts");
    move(said.data(), received, heard.data(), sent.counts);
    Buffer<NamePair, Exec> pairs(exec_, heard.size(), "pairs of groups");
    parallel_for(exec_, "pairs of groups", heard.size(),
                 PairNames{names, sent.index.data(), heard.data(), pairs.data()});
    const auto distinct = [&] {
      std::vector<NamePair> host(pairs.empty() ? 0 : sort_distinct(exec_, pairs));
      if (!host.empty()) exec_.download(host.data(), pairs.data(), host.size() * sizeof(NamePair));
      if (!host.empty() && host.back() == PairNames::kNone) host.pop_back();
      return host;
    };
    std::vector<NamePair> all = ranks_.all_gather<NamePair>(distinct());
    // Two ranks may tell one pair.
    pairs = upload(exec_, all, "pairs of groups");
    return distinct();
  }

  mutable Exec exec_;
  Ranks& ranks_;
  DeviceRanks& wire_;
  std::unique_ptr<clusters::Clustering> clustering_;
  haloscope::Domain domain_;
  std::uint32_t own_ = 0;
  std::uint64_t first_ = 0;          // number of the first own point
  PointAxes<Exec> axes_;             // of own points, and room for ghosts
  std::vector<std::uint64_t> cuts_;  // Morton codes at which the stretches of ranks 1, 2, … begin
  Buffer<std::uint64_t, Exec> groups_;
};

}  // namespace haloscope::compute::distributed
