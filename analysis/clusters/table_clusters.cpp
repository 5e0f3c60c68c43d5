#include "analysis/clusters/table_clusters.h"

#include "analysis/clusters/cluster_cut.h"
#include "analysis/clusters/cluster_datasets.h"
#include "analysis/clusters/cluster_space.h"
#include "analysis/clusters/cluster_words.h"
#include "analysis/clusters/clusters_output.h"
#include "analysis/clusters/merged_rows.h"
#include "analysis/clusters/scaled_table.h"
#include "analysis/clusters/table_groups.h"
#include "analysis/clusters/table_lattice.h"
#include "analysis/clusters/table_rows.h"
#include "analysis/clusters/table_weights.h"
#include "analysis/clusters/tree_plots.h"
#include "analysis/halos/halo_output.h"
#include "analysis/option_parsing/option_error.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/labels.h"
#include "core/visible_text.h"
#include "io/catalogs/tree_tables.h"
#include "io/catalogs/write_catalog.h"
#include "io/tables/npy_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

namespace haloscope::analysis {

namespace {

void check_table_options(const ClustersOptions& options, const std::optional<double>& box) {
  check_options(options);
  if (!options.space.empty())
    throw OptionError("the columns of a table are its space", marked("space"), "leave it out");
  if (box && !options.scale.empty())
    throw OptionError("a periodic box has one length along all columns", marked("scale"),
                      "leave it out, or --box");
  if (!options.types.empty())
    throw OptionError("a table of points has no types", marked("types"), "leave it out");
  if (options.softening)
    throw OptionError("points of a table have no gravity", marked("softening"), "leave it out");
  if (box && !(std::isfinite(*box) && *box > 0))
    throw Error("the side of a box must be a positive number", "--box");
  if (!box && !options.cut.empty() && parse_cut(options.cut).kind == ClusterCut::Kind::Spacings)
    throw OptionError("without a box there is no mean spacing of points", marked("cut"),
                      "give the box (--box), or a length (distance:LENGTH)");
}

std::string csv_head(const TableClusters& found, const CatalogProvenance& provenance) {
  std::string text =
      fmt::format("# {}\n# program = {}\n# table = {}\n# command line = {}\n", io::kRowsMark,
                  visible_text(provenance.program_version), visible_text(provenance.snapshot),
                  visible_text(provenance.command_line));
  return text + (found.clusters.probability.empty() ? "row,label\n"
                                                    : "row,label,probability,outlier_score\n");
}

void write_rows(const std::string& path, const TableClusters& found,
                const CatalogProvenance& provenance, Progress& progress) {
  constexpr std::size_t kFlushBytes = std::size_t(1) << 20;
  const FoundClusters& clusters = found.clusters;
  AtomicFile file(path);
  std::string text = csv_head(found, provenance);
  for (std::size_t row = 0; row < clusters.label.size(); ++row) {
    const std::uint32_t label = clusters.label[row];
    fmt::format_to(std::back_inserter(text), "{},{}", row,
                   label == Labels::kNone ? -1 : std::int64_t(label));
    if (!clusters.probability.empty())
      fmt::format_to(std::back_inserter(text), ",{},{}", clusters.probability[row],
                     clusters.outlier_score[row]);
    text += '\n';
    if (text.size() < kFlushBytes) continue;
    progress.report("writing rows", double(row) / double(clusters.label.size()));
    file.write(text.data(), text.size());
    text.clear();
  }
  file.write(text.data(), text.size());
  file.commit();
}

// In few columns cuSLINK searches in a tree, as the exact method does.
bool is_compared_whole(const io::PointTable& table, const ClustersOptions& options) {
  constexpr std::size_t kFew = 3;
  return options.method == TreeMethod::Cuslink && table.columns > kFew;
}

void check_table(const io::PointTable& table, const ClustersOptions& options,
                 const std::optional<double>& box) {
  if (!is_compared_whole(table, options)) return check_columns(table, box);
  check_row_columns(table);
  if (box)
    throw OptionError(fmt::format("cuslink takes a periodic box in 3 dimensions at most, and the "
                                  "table has {} columns",
                                  table.columns),
                      table.path, "leave out --box");
}

constexpr const char* kRoundedRows =
    "Numbers are rounded to float32 (24 bits), from the middle of their column on.";

// What became of the rows on their way into the lattice.
void tell_of_lattice(const io::PointTable& table, const std::optional<double>& box,
                     const TableLattice& lattice, std::vector<std::string>& said) {
  // Rounding moves few rows out of a box that is theirs.
  constexpr std::uint64_t kFew = 100;  // one of so many
  if (lattice.outside * kFew > table.rows)
    said.push_back(
        fmt::format("The box given (--box) does not hold the rows: {} of {} lie outside its side "
                    "of {:g} and were wrapped among the others.",
                    lattice.outside, table.rows, *box));
  else if (lattice.wrapped > 0)
    said.push_back(
        fmt::format("{} of {} rows lie on or outside the edge of the box: wrapped into it.",
                    lattice.wrapped, table.rows));
  if (const std::uint64_t merged = merged_rows(table, lattice); merged > 0)
    said.push_back(fmt::format(
        "{} of {} rows lie within {:.3g} of another in each column, which is the step that "
        "coordinates are told apart by: they are taken for one place.",
        merged, table.rows, lattice.step()));
}

TableClusters find_in(const io::PointTable& table, std::vector<double> weights,
                      const ClustersOptions& options, const std::optional<double>& box,
                      compute::Device device, Progress& progress, compute::Ranks* ranks) {
  check_table(table, options, box);
  const bool is_whole = is_compared_whole(table, options);
  const TableLattice lattice = is_whole ? open_axes(table) : place_table(table, box);
  const TableRows rows = is_whole ? rows_of_table(table) : TableRows{};
  TableClusters found;
  ClusterPoints points;
  if (is_whole) {
    points.rows = rows.view();
    points.step = 0;
    if (rows.is_rounded) found.said.push_back(kRoundedRows);
  } else {
    points.columns = lattice.points();
    points.step = lattice.step();
    tell_of_lattice(table, box, lattice, found.said);
  }
  points.numbering = "Points are the rows of the table, from 0.";
  points.weights = std::move(weights);
  const auto spacing = [&] {
    return *box / std::pow(double(table.rows), 1 / double(table.columns));
  };
  points.mean_spacing = spacing;
  found.clusters = find_clusters(points, options, device, progress, nullptr, ranks);
  if (std::string words = graph_in_words(*found.clusters.hierarchy); !words.empty())
    found.said.push_back(std::move(words));
  if (auto odd = odd_heights(found.clusters, "rows")) found.said.push_back(std::move(*odd));
  found.catalog = catalog_of_rows(table, lattice, found.clusters);
  found.provenance = cluster_provenance(options, found.clusters, {table.path}, found.said);
  found.provenance.parameters.erase("space");
  found.provenance.parameters[io::kPointsParameter] = io::kRowsOfTable;
  if (box) found.provenance.parameters["box"] = *box;
  found.summary = clusters_in_words(found.clusters, options, "rows");
  found.plots = {cut_plot(
      found.clusters, std::uint64_t(found.clusters.least),
      box && options.has_plain_distances() ? std::optional<double>(spacing()) : std::nullopt)};
  for (Plot& plot : condensed_tree_plots(found.clusters)) found.plots.push_back(std::move(plot));
  return found;
}

}  // namespace

TableClusters find_table_clusters(const io::PointTable& table, const ClustersOptions& options,
                                  const std::optional<double>& box, compute::Device device,
                                  Progress& progress, compute::Ranks* ranks) {
  check_table_options(options, box);
  require_points(table.rows, options);
  require_memory_to_write(table.rows, options, true);
  WeightedTable split;
  if (!options.weights.empty()) split = take_weights(table, options.weights);
  const io::PointTable& points = options.weights.empty() ? table : split.points;
  const std::vector<double> scale = parse_scale(options.scale);
  if (scale.empty())
    return find_in(points, std::move(split.weights), options, box, device, progress, ranks);
  TableClusters found = find_in(scaled_table(points, scale), std::move(split.weights), options, box,
                                device, progress, ranks);
  unscale_places(scale, found.catalog.tables.front());
  found.provenance.parameters["scale"] = options.scale;
  return found;
}

void write_table_clusters(const std::string& path, const TableClusters& found,
                          const std::string& command_line, Progress& progress) {
  CatalogProvenance provenance = found.provenance;
  provenance.command_line = command_line;
  const FoundClusters& clusters = found.clusters;
  if (is_npy_name(path))
    return io::write_npy(path, ScalarType::Int32, clusters.label.size(), 1, clusters.label.data(),
                         progress);
  if (is_csv(path)) return write_rows(path, found, provenance, progress);
  ClusterDatasets datasets;
  datasets.add_tree(*clusters.hierarchy);
  datasets.add_linkage(*clusters.hierarchy);
  datasets.add_condensed(clusters.condensed.get(), *clusters.hierarchy);
  if (!clusters.label.empty()) datasets.add_labels("Labels", clusters.label);
  datasets.add_sizes(clusters.sizes.get(), !clusters.resolutions.empty());
  for (std::size_t k = 0; k < clusters.resolutions.size(); ++k)
    datasets.add_labels(resolution_group(k), clusters.resolutions[k]);
  if (!clusters.probability.empty()) {
    datasets.add_probability("Labels", clusters.probability);
    datasets.add_outlier_score("Labels", clusters.outlier_score);
  }
  io::write_catalog(path, found.catalog, {}, provenance, progress, datasets.all());
}

}  // namespace haloscope::analysis
