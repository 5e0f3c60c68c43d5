#include "analysis/topology/peaks_output.h"

#include "analysis/halos/halo_output.h"
#include "analysis/topology/pair_files.h"
#include "analysis/topology/peaks_datasets.h"
#include "core/error.h"
#include "core/text_values.h"
#include "io/catalogs/write_catalog.h"
#include "io/grids/grid_file.h"

#include <cstring>
#include <filesystem>

namespace haloscope::analysis {

namespace {

std::string ending_of_peaks(const std::string& path) {
  return lower_case(std::filesystem::path(path).extension().string());
}

Grid grid_of_labels(const GridTree& tree, const CellLabels& labels, const char* name) {
  Grid grid;
  grid.cells = tree.grid().cells;
  grid.scalar = GridScalar::Int32;
  grid.bytes = Array<std::byte>(labels.size() * sizeof(std::uint32_t));
  std::memcpy(grid.bytes.data(), labels.data(), grid.bytes.size());
  grid.name = name;
  grid.low = tree.grid().low;
  grid.spacing = tree.grid().spacing;
  return grid;
}

// TTK calls the labels that its filters go by SegmentationId.
void write_image(const std::string& path, const PeaksContent& content, Progress& progress) {
  const GridTree& tree = *content.found.tree;
  const Structures& structures = content.found.structures;
  std::vector<Grid> labels;
  labels.push_back(grid_of_labels(tree, structures.labels(), "SegmentationId"));
  labels.push_back(grid_of_labels(tree, structures.by_branch, "Branch"));
  if (!structures.by_watershed.empty())
    labels.push_back(grid_of_labels(tree, structures.by_watershed, "Watershed"));
  std::vector<const Grid*> grids{&tree.grid()};
  for (const Grid& one : labels) grids.push_back(&one);
  io::write_vti_grids(path, grids, progress);
}

void write_all(const std::string& path, const PeaksContent& content, Progress& progress) {
  PeaksDatasets datasets;
  datasets.add_pairs(*content.found.tree, content.options.zero_pairs);
  datasets.add_tree(*content.found.tree);
  datasets.add_segmentation(*content.found.tree, content.found.structures);
  if (content.labels) datasets.add_labels(*content.labels);
  io::write_catalog(path, content.catalog, content.members, content.provenance, progress,
                    datasets.all());
}

}  // namespace

void require_peaks_output(const std::string& path, const Overwriting& overwriting) {
  const std::string ending = ending_of_peaks(path);
  if (ending == ".npy") return require_target(path, OutputFormat::Npy, overwriting);
  if (ending == ".vti") return require_target(path, OutputFormat::Vti, overwriting);
  if (ending != ".hdf5" && ending != ".h5" && ending != ".hdf" && ending != ".csv")
    throw Error(
        "peaks are written as .hdf5, .csv, .npy (labels of the cells) or .vti (for ParaView)", path,
        "end the name in one of these");
  require_catalog_target(path, overwriting);
}

WantedCells wanted_cells(const std::vector<std::string>& paths) {
  WantedCells wanted;
  for (const std::string& path : paths) {
    const std::string ending = ending_of_peaks(path);
    wanted.labels = wanted.labels || ending != ".csv";
    // Of HDF5: those of the tree's nodes.
    wanted.values = wanted.values || (ending != ".csv" && ending != ".npy");
    wanted.members = wanted.members || (ending != ".csv" && ending != ".npy" && ending != ".vti");
  }
  return wanted;
}

void write_peaks(const std::string& path, const PeaksContent& content, Progress& progress) {
  const std::string ending = ending_of_peaks(path);
  if (ending == ".vti") return write_image(path, content, progress);
  if (ending == ".npy")
    return io::write_grid(
        path, grid_of_labels(*content.found.tree, content.found.structures.labels(), "labels"),
        progress);
  if (ending == ".csv")
    return io::write_catalog(path, without_member_lists(content.catalog), {}, content.provenance,
                             progress);
  write_all(path, content, progress);
}

void require_pairs_output(const std::string& path, const Overwriting& overwriting) {
  const std::string ending = ending_of_peaks(path);
  if (ending == ".npy") return require_target(path, OutputFormat::Npy, overwriting);
  if (ending == ".csv") return require_target(path, OutputFormat::Csv, overwriting);
  if (ending == ".vtu") return require_target(path, OutputFormat::Vti, overwriting);
  throw Error("pairs are written as .csv, .npy or .vtu (for ParaView)", path,
              "end the name in one of these");
}

void write_pairs(const std::string& path, const PeaksContent& content, Progress& progress) {
  const GridTree& tree = *content.found.tree;
  const PairColumns pairs = pairs_of(tree, content.options.zero_pairs);
  const std::string ending = ending_of_peaks(path);
  if (ending == ".npy") return write_pair_array(path, pairs, progress);
  if (ending == ".csv") return write_pair_table(path, tree, pairs, content.provenance, progress);
  write_diagram(path, tree, pairs, content.provenance, progress);
}

}  // namespace haloscope::analysis
