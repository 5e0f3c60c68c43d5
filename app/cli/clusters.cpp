#include "app/cli/clusters.h"

#include "analysis/clusters/cluster_hierarchy.h"
#include "analysis/clusters/cluster_search.h"
#include "analysis/clusters/clusters_finder.h"
#include "analysis/clusters/clusters_output.h"
#include "analysis/clusters/find_clusters.h"
#include "analysis/clusters/table_clusters.h"
#include "analysis/clusters/tree_plots.h"
#include "analysis/find_by.h"
#include "analysis/finder.h"
#include "analysis/halos/halo_output.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/selection/filter_options.h"
#include "analysis/snapshot/choose_types.h"
#include "analysis/snapshot/json_text.h"
#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/output_guard.h"
#include "analysis/snapshot/statistics.h"
#include "analysis/snapshot/tell_sentences.h"
#include "app/cli/add_option.h"
#include "app/cli/filter_flags.h"
#include "app/cli/option_flags.h"
#include "app/cli/run_on_devices.h"
#include "app/cli/snapshot_flags.h"
#include "compute/exec/mpi/rank_watch.h"
#include "compute/exec/rank_devices.h"
#include "compute/exec/ranks.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/text_values.h"
#include "io/loading/selected_snapshot.h"
#include "io/tables/point_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace haloscope::app::cli {

namespace {

constexpr const char* kClusters = "clusters";

class ClustersRun {
 public:
  // On that device; nothing: on the one that --device says.
  ClustersRun(const ClustersCommand& request, analysis::RunContext& context,
              std::optional<compute::Device> device)
      : request_(request),
        context_(context),
        ranks_(compute::ranks_or_alone(context.ranks)),
        device_(device) {}

  void run() {
    if (several()) check_for_ranks();
    // The first of several ranks reads, and writes; the others share the search for the tree.
    if (!ranks_.first()) return analysis::help_with_tree(ranks_, device(), context_.progress);
    check_outputs();
    const bool of_table = request_.said.raw.empty() && io::is_point_table(request_.input);
    analysis::check_options(request_.options);
    for (const std::string& name : request_.plots.names())
      analysis::require_cluster_plot(name, request_.options, of_table, "--plot");
    if (of_table)
      run_table();
    else
      run_snapshot();
  }

 private:
  bool several() const { return ranks_.size() > 1; }

  // All ranks call it, and each gets its device.
  void check_for_ranks() {
    analysis::check_options(request_.options);
    analysis::require_for_ranks(request_.options, device_.has_value());
    if (!device_)
      device_ = compute::choose_device_of_rank(request_.device, ranks_, compute::host_name());
  }
  compute::Device device() const {
    return device_ ? *device_ : compute::choose_device(request_.device);
  }

  void check_outputs() {
    if (request_.output.empty() && request_.tree.empty() && request_.plots.empty())
      throw Error("there is nothing to write", kClusters,
                  "give a file by -o, one for the tree by --tree, or a plot's by --plot");
    // Before what --overwrite would help against.
    analysis::refuse_overwriting({request_.output, request_.tree, request_.stats},
                                 {request_.input});
    const analysis::Overwriting overwriting{request_.overwrite};
    if (!request_.output.empty()) {
      analysis::require_clusters_output(request_.output, request_.options, overwriting);
      if (request_.options.resolutions &&
          (analysis::is_npy_name(request_.output) || analysis::is_csv(request_.output)))
        throw Error("labels of several sizes are written as .hdf5 alone", request_.output,
                    "name the output .hdf5, or leave out --resolutions");
      outputs_.push_back(request_.output);
    }
    if (!request_.tree.empty()) {
      analysis::require_linkage_output(request_.tree, overwriting);
      outputs_.push_back(request_.tree);
    }
    for (const std::string& path : request_.plots.require_targets(overwriting))
      outputs_.push_back(path);
    if (request_.stats.empty()) return;
    analysis::require_target(request_.stats, analysis::OutputFormat::Json, overwriting);
    outputs_.push_back(request_.stats);
  }

  // What only a snapshot can be told is refused, all but its box.
  std::optional<double> box_of_table() const {
    std::optional<double> box;
    for (const auto& [word, text] : request_.said.words) {
      if (word != "box")
        throw Error("this is told of snapshots, and " + request_.input + " is a table of points",
                    "--" + word, "leave it out");
      const double side = parse_number("--box", text);
      if (side != 0) box = side;
    }
    if (is_selected())
      throw Error("only particles of a snapshot are chosen by place or value, and " +
                      request_.input + " is a table of points",
                  selecting_flags(), "leave it out");
    if (request_.said.replicate != 1)
      throw Error("a table of points cannot be repeated", "--replicate", "leave it out");
    return box;
  }

  void run_table() {
    analysis::refuse_overwriting(outputs_, {request_.input});
    const auto box = box_of_table();
    const compute::Device device = this->device();
    const io::PointTable table = io::read_point_table(request_.input, context_.progress);
    const analysis::TableClusters found = analysis::find_table_clusters(
        table, request_.options, box, device, context_.progress, context_.ranks);
    analysis::Finding plotted;
    plotted.plots = found.plots;
    request_.plots.require_plots(plotted);
    if (!request_.output.empty())
      analysis::write_table_clusters(request_.output, found, context_.command_line,
                                     context_.progress);
    finish(*found.clusters.hierarchy, found.clusters.count(), device);
    empty_ = request_.plots.write(plotted, context_.command_line);
    say({{}, found.said}, found.summary);
  }

  // The options by which particles are chosen.
  std::string selecting_flags() const {
    std::vector<std::string> flags;
    if (request_.selection.region) flags.emplace_back("--region");
    if (request_.filter.sphere) flags.emplace_back("--sphere");
    if (!request_.filter.values.empty()) flags.emplace_back("--where");
    return fmt::format("{}", fmt::join(flags, " and "));
  }

  bool is_selected() const { return request_.selection.any() || request_.filter.any(); }

  // The snapshot, or what is selected of it.
  std::unique_ptr<io::SnapshotReader> open() const {
    analysis::SnapshotOptions said = request_.said;
    if (device_) said.device = device_->word();
    auto reader = analysis::open_snapshot(request_.input, said);
    std::vector<std::string> inputs = reader->info().files;
    inputs.push_back(request_.input);
    analysis::refuse_overwriting(outputs_, inputs);
    if (!is_selected()) return reader;
    analysis::require_whole(request_.options);
    const SnapshotInfo info = reader->info();
    const std::vector<int> types = analysis::clustered_types(info, request_.options);
    const io::ParticleFilter filter =
        analysis::named_filter(info, analysis::choose_types(info, {}), request_.filter);
    auto selected = std::make_unique<io::SelectedSnapshot>(std::move(reader), request_.selection,
                                                           filter, context_.progress);
    for (const int type : types)
      if (!selected->info().types.count(type))
        throw Error(
            "no particle of " + info.types.at(type).name + " is chosen by " + selecting_flags(),
            info.files.front(), "choose other limits, or other types (--types)");
    return selected;
  }

  std::uint64_t particles_in(const SnapshotInfo& info) const {
    std::uint64_t sum = 0;
    for (const int type : analysis::clustered_types(info, request_.options))
      sum += info.types.at(type).count;
    return sum;
  }

  void run_snapshot() {
    const auto reader = open();
    analysis::FindRequest find;
    find.device = device();
    find.rows_of_files = request_.said.replicate == 1 && !is_selected();
    analysis::require_memory_to_write(particles_in(reader->info()), request_.options,
                                      !request_.tree.empty(),
                                      "choose fewer particles: fewer types (--types), a region "
                                      "(--region) or limits of values (--where)");
    const auto found = analysis::find_by(*analysis::make_clusters_finder(context_.ranks), *reader,
                                         request_.options, find, context_.progress);
    request_.plots.require_plots(*found);
    if (!request_.output.empty())
      analysis::write_clusters(request_.output, *found, context_.command_line,
                               {!request_.tree.empty(), rows_of(*reader)}, context_.progress);
    finish(*found->hierarchy, found->pieces, find.device);
    empty_ = request_.plots.write(*found, context_.command_line);
    analysis::Sentences sentences = analysis::sentences_of_reader(*reader);
    sentences.told.insert(sentences.told.end(), found->notes.begin(), found->notes.end());
    say(sentences, found->summary);
  }

  std::map<int, std::vector<std::uint64_t>> rows_of(const io::SnapshotReader& reader) const {
    std::map<int, std::vector<std::uint64_t>> rows;
    if (const io::SelectedSnapshot* const selected = io::as_selected(reader))
      for (const int type : analysis::clustered_types(reader.info(), request_.options))
        rows[type] = selected->rows_of(type);
    return rows;
  }

  void finish(const analysis::ClusterHierarchy& hierarchy, std::uint64_t clusters,
              const compute::Device& device) const {
    if (!request_.tree.empty())
      analysis::write_linkage(request_.tree, hierarchy, context_.progress);
    if (request_.stats.empty()) return;
    nlohmann::json milliseconds = nlohmann::json::object();
    const Timings summed = hierarchy.timings.summed();
    for (const auto& [phase, samples] : summed.samples()) milliseconds[phase] = samples.front();
    const nlohmann::json report = {
        {"device", device.word()},
        {"ranks", ranks_.size()},
        {"input", request_.input},
        {"lattice_step", hierarchy.step},
        {"counts", {{"points", hierarchy.tree.points}, {"clusters", clusters}}},
        {"milliseconds", milliseconds},
        {"memory",
         {{"host_peak_bytes", analysis::peak_host_memory()},
          {"device_peak_bytes", hierarchy.peak_device_memory}}}};
    const std::string text = analysis::json_text(report) + "\n";
    AtomicFile file(request_.stats);
    file.write(text.data(), text.size());
    file.commit();
  }

  void say(const analysis::Sentences& sentences, const std::string& summary) const {
    analysis::tell_sentences(sentences, request_.quiet, context_);
    if (!request_.quiet) {
      context_.print(summary);
      for (const std::string& path : empty_.without(outputs_)) context_.print("wrote " + path);
    }
    empty_.refuse();
  }

  const ClustersCommand& request_;
  analysis::RunContext& context_;
  compute::Ranks& ranks_;
  std::optional<compute::Device> device_;  // chosen already
  std::vector<std::string> outputs_;
  EmptyPlots empty_;
};

}  // namespace

void run_clusters(const ClustersCommand& request, analysis::RunContext& context) {
  run_clusters_on(devices_of_gpus(request.gpus, request.device, context), request, context);
}

void run_clusters_on(const std::vector<compute::Device>& devices, const ClustersCommand& request,
                     analysis::RunContext& context) {
  search_on_devices(devices, context, [&](analysis::RunContext& own, auto device) {
    ClustersRun(request, own, device).run();
  });
}

void add_clusters_command(CLI::App& app, analysis::RunContext& context,
                          std::function<void()>& run) {
  auto request = std::make_shared<ClustersCommand>();
  CLI::App* command =
      app.add_subcommand(kClusters, analysis::require_finder(kClusters).words().help);
  command->footer(
      "A table is an array of NumPy (.npy) of float32 or float64, or text: each row is a point of "
      "up "
      "to 8 dimensions. With --box its points are periodic, in up to 3. Text that names x, y, z "
      "and "
      "further columns is a snapshot. HDF5 outputs hold the tree, the condensed tree, a label, "
      "probability and outlier score per point, and a catalog of the clusters.");
  command
      ->add_option("SNAPSHOT", request->input,
                   "A file, one of several, or their folder; or a table of points")
      ->required();
  command->add_option("-o,--output", request->output,
                      "All that is found: .hdf5; the clusters, or the rows of a table: .csv; the "
                      "labels: .npy");
  command->add_option("--tree", request->tree, "The linkage matrix Z alone, as SciPy has it")
      ->type_name("OUT.npy");
  request->plots.add_option(*command);
  add_option_flags<analysis::ClustersOptions>(*command, request->options);
  add_device_option(*command, request->device, &request->said);
  add_gpus_option(*command, request->gpus);
  command->add_option("--stats", request->stats, "Write counts, times and memory as JSON")
      ->type_name("FILE.json");
  add_overwrite_option(*command, request->overwrite);
  command->add_flag("--quiet", request->quiet, "Print warnings and errors only");
  add_region_option(*command, request->selection);
  add_filter_options(*command, request->filter);
  add_snapshot_options(*command, request->said);
  command->callback([request, &context, &run] {
    run = [request, &context] { run_clusters(*request, context); };
  });
}

}  // namespace haloscope::app::cli
