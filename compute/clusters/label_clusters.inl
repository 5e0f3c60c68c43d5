#pragma once

#include "compute/clusters/condense.inl"
#include "compute/clusters/hdbscan.h"
#include "compute/clusters/membership.h"

#include <thrust/fill.h>

// Which point belongs to which selected cluster of a condensed tree, for either executor.
namespace haloscope::compute::clusters {

// Places in a dendrogram's order and the selected cluster around each.
struct SelectedPlaces {
  const std::uint32_t *order, *group;       // of each place
  const std::uint32_t *falls_at, *cluster;  // of each group
  const std::uint32_t* around;              // of each cluster
  Lambdas lambda;
  double least_lambda;
  std::uint32_t points;

  HALOSCOPE_HD std::uint32_t operator()(std::uint32_t place) const {
    const std::uint32_t g = group[place], c = around[cluster[g]];
    if (c == kNoCluster || least_lambda == 0) return c;
    return lambda(falls_at[g]) < least_lambda ? kNoCluster : c;
  }
};

// Of each selected cluster the smallest point, which its number depends on, and how many there are;
// from places side by side, 32 at most.
struct CountMembers {
  static constexpr std::uint32_t kMost = 32;
  SelectedPlaces places;
  std::uint32_t* first;
  std::uint32_t* members;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    auto place = std::uint32_t(k);
    const std::uint32_t own = places(place);
    if (own == kNoCluster) return;
    if (place % kMost != 0 && places(place - 1) == own) return;
    std::uint32_t least = kNone, count = 0;
    do {
      const std::uint32_t point = places.order[place];
      least = point < least ? point : least;
      ++count;
      ++place;
    } while (place < places.points && place % kMost != 0 && places(place) == own);
    atomic_minimum(first + own, least);
    atomic_add(members + own, count);
  }
};

struct KeepNumbers {
  const std::uint64_t* first;     // points, ascending
  const std::uint32_t* by_first;  // clusters
  std::uint32_t* number;          // of each cluster
  HALOSCOPE_HD void operator()(std::size_t k) const {
    number[by_first[k]] = first[k] == kNone ? kNoCluster : std::uint32_t(k);
  }
};

struct LabelPlaces {
  SelectedPlaces places;
  const std::uint32_t* number;
  const double *death, *highest;
  std::uint32_t* label;
  double *probability, *outlier_score;
  HALOSCOPE_HD void operator()(std::size_t k) const {
    const auto place = std::uint32_t(k);
    const std::uint32_t g = places.group[place], point = places.order[place];
    const std::uint32_t c = places(place);
    const double lambda = places.lambda(places.falls_at[g]);
    label[point] = c == kNoCluster ? kNoCluster : number[c];
    probability[point] = c == kNoCluster ? 0 : probability_of(lambda, death[c]);
    outlier_score[point] = outlier_score_of(lambda, highest[places.cluster[g]]);
  }
};

// What HdbscanClusters says, where the executor reads it; what it has of each label is on the host.
template <class Exec>
struct LabelsOn {
  Buffer<std::uint32_t, Exec> label;
  Buffer<double, Exec> probability, outlier_score;
  std::vector<std::uint32_t> cluster;
  std::vector<double> persistence;
};

template <class Exec>
LabelsOn<Exec> label_clusters(Exec& exec, const CondensedOn<Exec>& condensed,
                              const hierarchy::DendrogramOn<Exec>& dendrogram,
                              const Lambdas& lambda, const ChosenClusters& chosen) {
  constexpr const char* kName = "labels of clusters";
  const auto points = std::uint32_t(dendrogram.order.size());
  const std::size_t clusters = condensed.totals.clusters();
  const auto around = upload(exec, chosen.around, kName);
  const auto highest = upload(exec, chosen.highest, kName);
  const SelectedPlaces places{dendrogram.order.data(),
                              condensed.group.data(),
                              condensed.falls_at.data(),
                              condensed.cluster.data(),
                              around.data(),
                              lambda,
                              chosen.least_lambda,
                              points};
  Buffer<std::uint32_t, Exec> first(exec, clusters, kName), members(exec, clusters, kName),
      by_first(exec, clusters, kName), number(exec, clusters, kName);
  Buffer<std::uint64_t, Exec> keys(exec, clusters, kName);
  thrust::fill(exec.policy(), first.begin(), first.end(), kNone);
  exec.zero(members.data(), clusters * sizeof(std::uint32_t));
  parallel_for(exec, kName, points, CountMembers{places, first.data(), members.data()});
  parallel_for(exec, kName, clusters, WidenRanks{first.data(), keys.data()});
  thrust::sequence(exec.policy(), by_first.begin(), by_first.end());
  sort_pairs(exec, keys, by_first, 32);
  parallel_for(exec, kName, clusters, KeepNumbers{keys.data(), by_first.data(), number.data()});
  LabelsOn<Exec> labels{Buffer<std::uint32_t, Exec>(exec, points, "labels"),
                        Buffer<double, Exec>(exec, points, "probabilities"),
                        Buffer<double, Exec>(exec, points, "outlier scores"),
                        {},
                        {}};
  parallel_for(
      exec, kName, points,
      LabelPlaces{places, number.data(), condensed.death.data(), highest.data(),
                  labels.label.data(), labels.probability.data(), labels.outlier_score.data()});
  const std::vector<std::uint32_t> order = download(exec, by_first);
  const std::vector<std::uint32_t> counts = download(exec, members);
  for (const std::uint32_t c : order) {
    if (counts[c] == 0) break;
    labels.cluster.push_back(c);
    labels.persistence.push_back(chosen.persistence(c, counts[c]));
  }
  return labels;
}

template <class Exec>
LabelsOn<Exec> upload(Exec& exec, const HdbscanClusters& clusters) {
  return {compute::upload(exec, clusters.label, "labels"),
          compute::upload(exec, clusters.probability, "probabilities"),
          compute::upload(exec, clusters.outlier_score, "outlier scores"), clusters.cluster,
          clusters.persistence};
}

template <class Exec>
HdbscanClusters download(Exec& exec, const LabelsOn<Exec>& labels) {
  return {download(exec, labels.label), download(exec, labels.probability),
          download(exec, labels.outlier_score), labels.cluster, labels.persistence};
}

}  // namespace haloscope::compute::clusters
