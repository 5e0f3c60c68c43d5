#include "compute/clusters/cluster_tree.h"

#include "core/error.h"

#include <string>

namespace haloscope::compute::clusters {

std::unique_ptr<ClusterTree> make_cluster_tree(Device device, Progress& progress) {
  return device.is_gpu() ? make_cuda_cluster_tree(device, progress)
                         : make_cpu_cluster_tree(progress);
}

void require_tree(std::uint64_t points, std::size_t dimensions,
                  const SpanningTreeSettings& settings) {
  constexpr const char* kWhat = "spanning tree";
  const auto words = [](std::uint64_t number) { return std::to_string(number); };
  if (points > hierarchy::kMostPoints)
    throw Error(words(points) + " points are more than one tree can join (2147483647)", kWhat,
                "choose fewer types or a region");
  if (dimensions < 1 || dimensions > LatticePoints::kMostDimensions)
    throw Error("the points have " + words(dimensions) + " dimensions, and a tree takes 1 to 8",
                kWhat);
  if (settings.min_samples < 1 || settings.min_samples > SpanningTreeSettings::kMostSamples)
    throw Error("a core point can have 1 to 65 neighbors, itself included, not " +
                    std::to_string(settings.min_samples),
                kWhat);
  if (settings.graph_neighbors < 0 ||
      settings.graph_neighbors > SpanningTreeSettings::kMostGraphNeighbors)
    throw Error("a point can have " + words(SpanningTreeSettings::kMostGraphNeighbors) +
                    " neighbors at most in a graph, not " +
                    std::to_string(settings.graph_neighbors),
                kWhat);
  if (settings.graph_neighbors > 0 &&
      dimensions > std::size_t(SpanningTreeSettings::kMostGraphDimensions))
    throw Error(
        "a tree from a graph of neighbors is made in up to 3 dimensions, not " + words(dimensions),
        kWhat);
  if (settings.graph_neighbors > 0 && std::uint64_t(settings.graph_neighbors) >= points)
    throw Error("each point shall have " + words(std::uint64_t(settings.graph_neighbors)) +
                    " neighbors, and there are " + words(points) + " points",
                kWhat, "ask for fewer");
  if (points > 0 && std::uint64_t(settings.min_samples) > points)
    throw Error("a core point shall have " + std::to_string(settings.min_samples) +
                    " neighbors, itself included, and there are " + words(points) + " points",
                kWhat, "ask for fewer");
}

void require_shift(const LatticePoints& points) {
  if (points.shift == 0) return;
  constexpr const char* kWhat = "spanning tree";
  const std::size_t dimensions = points.column.size();
  if (dimensions < 4 || dimensions > 6)
    throw Error("columns of different steps are 4 to 6, not " + std::to_string(dimensions), kWhat);
  if (points.shift < LatticePoints::kLeastShift || points.shift > LatticePoints::kMostShift)
    throw Error(
        "the steps of positions can be 2 to 24 bits longer than those of other columns, "
        "not " +
            std::to_string(points.shift),
        kWhat);
}

}  // namespace haloscope::compute::clusters
