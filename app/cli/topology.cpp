#include "app/cli/topology.h"

#include "analysis/finder.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/json_text.h"
#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/output_guard.h"
#include "analysis/snapshot/statistics.h"
#include "analysis/snapshot/tell_sentences.h"
#include "analysis/topology/grid_peaks.h"
#include "analysis/topology/peaks_grid_words.h"
#include "analysis/topology/peaks_output.h"
#include "app/cli/add_option.h"
#include "app/cli/option_flags.h"
#include "app/cli/run_on_devices.h"
#include "app/cli/snapshot_flags.h"
#include "compute/exec/mpi/rank_watch.h"
#include "compute/exec/rank_devices.h"
#include "compute/exec/ranks.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "io/grids/grid_file.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace haloscope::app::cli {

namespace {

constexpr const char* kTopology = "topology";

class TopologyRun {
 public:
  // On that device; nothing: on the one that --device says.
  TopologyRun(const TopologyCommand& request, analysis::RunContext& context,
              std::optional<compute::Device> device)
      : request_(request), context_(context), device_(device) {}

  void run() {
    if (several()) {
      analysis::require_for_ranks(options_, device_.has_value());
      if (!device_)
        device_ = compute::choose_device_of_rank(request_.device, ranks_, compute::host_name());
    }
    // The first rank writes; what it cannot write, it says, and all end.
    if (ranks_.first()) check_outputs();
    if (!request_.periodic.empty()) options_.closed = request_.periodic;
    analysis::check_options(options_);
    options_ = analysis::completed(options_);
    const auto reader = open_snapshot();
    if (reader)
      run_snapshot(*reader);
    else
      run_grid();
  }

 private:
  bool several() const { return ranks_.size() > 1; }

  // One process looks at the file first.
  compute::Device device() const {
    return device_ ? *device_ : compute::choose_device(request_.device);
  }

  void check_outputs() {
    if (request_.outputs.empty() && request_.pairs.empty() && request_.plots.empty())
      throw Error("there is nothing to write", kTopology,
                  "give a file by -o, one for the pairs by --pairs, or a plot's by --plot");
    // Before what --overwrite would help against.
    std::vector<std::string> names = request_.outputs;
    names.insert(names.end(), request_.pairs.begin(), request_.pairs.end());
    names.push_back(request_.stats);
    analysis::refuse_overwriting(names, {request_.input});
    const analysis::Overwriting overwriting{request_.overwrite};
    for (const std::string& path : request_.outputs) {
      analysis::require_peaks_output(path, overwriting);
      written_.push_back(path);
    }
    for (const std::string& path : request_.pairs) {
      analysis::require_pairs_output(path, overwriting);
      written_.push_back(path);
    }
    for (const std::string& path : request_.plots.require_targets(overwriting))
      written_.push_back(path);
    if (!request_.stats.empty()) {
      analysis::require_target(request_.stats, analysis::OutputFormat::Json, overwriting);
      written_.push_back(request_.stats);
    }
    analysis::refuse_overwriting(written_, {request_.input});
  }

  // Null: it is a grid.
  std::unique_ptr<io::SnapshotReader> open_snapshot() const {
    if (!request_.dataset.empty() || !request_.raw_grid.empty() || io::is_grid_file(request_.input))
      return {};
    // A box is periodic or not; single axes are up to the tree.
    analysis::SnapshotOptions said = request_.said;
    if (device_) said.device = device_->word();
    if (request_.periodic == "yes" || request_.periodic == "no")
      said.words["periodic"] = request_.periodic;
    try {
      return analysis::open_snapshot(request_.input, said);
    } catch (const NotThisFormat&) {
      if (!io::may_hold_grid(request_.input)) throw;
      return {};
    }
  }

  void run_snapshot(const io::SnapshotReader& reader) {
    std::vector<std::string> inputs = reader.info().files;
    inputs.push_back(request_.input);
    analysis::refuse_overwriting(written_, inputs);
    analysis::FindRequest find;
    find.device = device();
    find.rows_of_files = request_.said.replicate == 1;
    find.ranks = context_.ranks;
    const analysis::WantedCells wanted = analysis::wanted_cells(request_.outputs);
    find.lists_members = wanted.members;
    find.labels_of_cells = wanted.labels;
    find.values_of_cells = wanted.values;
    const auto found = analysis::find_in(reader, "peaks", options_, find, context_.progress);
    if (!ranks_.first()) return;
    request_.plots.require_plots(*found);
    CatalogProvenance provenance = found->provenance;
    provenance.command_line = context_.command_line;
    write({*found->peaks, options_, found->catalog, found->members, std::move(provenance),
           found->labels.get()},
          *found, find.device);
    say({sentences_of(reader.info().assumed), found->notes},
        {analysis::values_in_words(*found->peaks, options_, reader.info()), found->summary});
  }

  // What only a snapshot can be told is refused.
  void check_grid_words() const {
    for (const auto& [word, text] : request_.said.words)
      throw Error("this is told of snapshots, and " + request_.input + " is a grid", "--" + word,
                  "leave it out");
    if (!request_.said.raw.empty())
      throw Error("this is told of snapshots", "--raw", "describe a raw grid by --raw-grid");
    if (request_.said.replicate != 1)
      throw Error("a grid cannot be repeated", "--replicate",
                  "leave it out, or say --periodic yes");
  }

  // Faults of values say which file they are in.
  template <class F>
  auto in_file(const F& work) const {
    try {
      return work();
    } catch (const analysis::OptionError&) {
      throw;
    } catch (const Error& error) {
      throw Error(request_.input + ": " + error.what());
    }
  }

  void run_grid() {
    check_grid_words();
    analysis::check_grid_options(options_);
    const compute::Device device = this->device();
    Grid grid = io::read_grid(request_.input,
                              {request_.dataset, request_.raw_grid, request_.said.allow_outside,
                               analysis::planes_to_read(ranks_)},
                              context_.progress);
    analysis::GridPeaks peaks = in_file([&] {
      return analysis::find_grid_peaks(std::move(grid), request_.input, options_, device,
                                       context_.progress, ranks_,
                                       analysis::wanted_cells(request_.outputs));
    });
    if (!ranks_.first()) return;
    analysis::Finding plotted;
    plotted.plots = peaks.plots;
    request_.plots.require_plots(plotted);
    peaks.provenance.command_line = context_.command_line;
    write({peaks.found, options_, peaks.catalog, {}, peaks.provenance}, plotted, device);
    std::vector<std::string> summary = peaks.about;
    summary.push_back(peaks.summary);
    say({{}, peaks.said}, summary);
  }

  void write(const analysis::PeaksContent& content, const analysis::Finding& plotted,
             compute::Device device) {
    for (const std::string& path : request_.outputs)
      analysis::write_peaks(path, content, context_.progress);
    for (const std::string& path : request_.pairs)
      analysis::write_pairs(path, content, context_.progress);
    if (!request_.stats.empty()) write_report(content.found, device);
    empty_ = request_.plots.write(plotted, context_.command_line);
  }

  void write_report(const analysis::FoundPeaks& found, compute::Device device) const {
    const analysis::GridTree& tree = *found.tree;
    nlohmann::json milliseconds = nlohmann::json::object();
    const Timings summed = found.timings.summed();
    for (const auto& [phase, samples] : summed.samples()) milliseconds[phase] = samples.front();
    const nlohmann::json report = {{"device", device.word()},
                                   {"ranks", ranks_.size()},
                                   {"input", request_.input},
                                   {"grid",
                                    {{"name", tree.grid().name},
                                     {"unit", tree.grid().unit},
                                     {"cells", tree.grid().cells},
                                     {"periodic", tree.periodic()},
                                     {"mean", tree.mean()},
                                     {"standard_deviation", tree.statistics().deviation}}},
                                   {"counts",
                                    {{"cells", tree.grid().count()},
                                     {"maxima", tree.branches().count()},
                                     {"peaks", found.structures.count()}}},
                                   {"milliseconds", milliseconds},
                                   {"memory",
                                    {{"host_peak_bytes", analysis::peak_host_memory()},
                                     {"device_peak_bytes", found.peak_device_memory}}}};
    const std::string text = analysis::json_text(report) + "\n";
    AtomicFile file(request_.stats);
    file.write(text.data(), text.size());
    file.commit();
  }

  void say(const analysis::Sentences& sentences, const std::vector<std::string>& summary) const {
    analysis::tell_sentences(sentences, request_.quiet, context_);
    if (!request_.quiet) {
      for (const std::string& line : summary) context_.print(line);
      for (const std::string& path : empty_.without(written_)) context_.print("wrote " + path);
    }
    empty_.refuse();
  }

  const TopologyCommand& request_;
  analysis::RunContext& context_;
  compute::Ranks& ranks_ = compute::ranks_or_alone(context_.ranks);
  std::optional<compute::Device> device_;
  analysis::PeaksOptions options_ = request_.options;
  std::vector<std::string> written_;
  EmptyPlots empty_;
};

// Other commands have --periodic of the snapshot beside the finder's option.
std::string flag_of_topology(const std::string& name) {
  return name == "closed" ? "--periodic" : analysis::flag_of(name);
}

void add_outputs(CLI::App& command, TopologyCommand& request) {
  command
      .add_option(
          "-o,--output", request.outputs,
          "All that is found: .hdf5; the peaks: .csv; the label of each cell: .npy; the grid "
          "with its segmentation, for ParaView: .vti; may be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      .add_option(
          "--pairs", request.pairs,
          "The persistence pairs alone: .csv, .npy, or a diagram for ParaView, .vtu; may be "
          "given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
  request.plots.add_option(command);
}

}  // namespace

void run_topology(const TopologyCommand& request, analysis::RunContext& context) {
  run_topology_on(devices_of_gpus(request.gpus, request.device, context), request, context);
}

void run_topology_on(const std::vector<compute::Device>& devices, const TopologyCommand& request,
                     analysis::RunContext& context) {
  try {
    if (devices.empty()) return TopologyRun(request, context, {}).run();
    run_on_devices(devices, context, [&](analysis::RunContext& own, compute::Device device) {
      TopologyRun(request, own, device).run();
    });
  } catch (const analysis::OptionError& error) {
    throw Error(analysis::spelled(error.what(), flag_of_topology));
  }
}

void add_topology_command(CLI::App& app, analysis::RunContext& context,
                          std::function<void()>& run) {
  auto request = std::make_shared<TopologyCommand>();
  CLI::App* command = app.add_subcommand(
      kTopology, "Peaks, saddles and their persistence: the merge tree of a snapshot or a grid");
  command->footer(
      "A grid is a dataset of HDF5, an array of NumPy (.npy), an image of VTK (.vti) or raw "
      "values. "
      "Its ends do not meet unless its file or --periodic says so. A snapshot is put on a grid of "
      "density in units of the mean. HDF5 outputs hold Pairs, Tree, Segmentation and a catalog of "
      "the peaks.");
  command
      ->add_option("SNAPSHOT|GRID", request->input,
                   "A file, one of several, or their folder; or a grid")
      ->required();
  add_outputs(*command, *request);
  add_option_flags<analysis::PeaksOptions>(*command, request->options);
  command->get_option("--closed")->group("");
  command
      ->add_option("--periodic", request->periodic,
                   "Whether the snapshot's box is periodic, or the axes of a grid whose ends meet; "
                   "default: as the file says, of a bare grid none")
      ->type_name("yes|no|x,y,z");
  add_device_option(*command, request->device, &request->said);
  add_gpus_option(*command, request->gpus);
  command->add_option("--stats", request->stats, "Write counts, times and memory as JSON")
      ->type_name("FILE.json");
  add_overwrite_option(*command, request->overwrite);
  command->add_flag("--quiet", request->quiet, "Print warnings and errors only");
  command->add_option("--dataset", request->dataset, "Which dataset or array of a grid's file")
      ->type_name("NAME");
  command
      ->add_option("--raw-grid", request->raw_grid,
                   "How raw values lie in the file, as in \"f4:512x512x256;order=fortran;skip=8\"")
      ->type_name("DESCRIPTION");
  add_snapshot_options(*command, request->said, "periodic");
  command->callback([request, &context, &run] {
    run = [request, &context] { run_topology(*request, context); };
  });
}

}  // namespace haloscope::app::cli
