#include "app/cli/halos.h"

#include "analysis/halos/halo_output.h"
#include "analysis/halos/halo_provenance.h"
#include "analysis/halos/halo_table.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/json_text.h"
#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/output_guard.h"
#include "analysis/snapshot/statistics.h"
#include "analysis/snapshot/tell_sentences.h"
#include "app/cli/add_option.h"
#include "app/cli/option_flags.h"
#include "app/cli/run_on_devices.h"
#include "app/cli/snapshot_flags.h"
#include "compute/exec/mpi/rank_watch.h"
#include "compute/exec/named_range.h"
#include "compute/exec/rank_devices.h"
#include "compute/exec/ranks.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/log.h"
#include "core/text_values.h"
#include "core/version.h"
#include "io/catalogs/catalog_parts.h"
#include "io/catalogs/write_catalog.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace haloscope::app::cli {

namespace {

// In the order in which they happen.
constexpr const char* kPhases[] = {"read",         "keys",       "sort",  "build",  "core",
                                   "link",         "border",     "label", "attach", "gather",
                                   "substructure", "properties", "IDs",   "write"};

class HalosRun {
 public:
  // On that device; nothing: on the one that --device says.
  HalosRun(const HalosCommand& request, analysis::RunContext& context,
           std::optional<compute::Device> device)
      : request_(request), context_(context), device_(device) {}

  void run() {
    const bool writes = compute::ranks_or_alone(context_.ranks).first();
    if (writes) check_outputs();
    // A device that is known by now makes the fields too, and decides how one of several ranks
    // reads; else the file is looked at first.
    const bool several = compute::ranks_or_alone(context_.ranks).size() > 1;
    std::optional<compute::Device> chosen = device_;
    if (several && !chosen) chosen = choose_device();
    analysis::SnapshotOptions said = request_.said;
    if (chosen) said.device = chosen->word();
    reader_ = analysis::open_snapshot(request_.snapshot, said);
    const compute::Device device = chosen ? *chosen : choose_device();
    const SnapshotInfo& info = reader_->info();
    std::vector<std::string> inputs = info.files;
    inputs.push_back(request_.snapshot);
    if (writes) refuse_overwriting(inputs);

    analysis::HaloSearchRequest search = request_.search;
    search.ranks = context_.ranks;
    search.device = device;
    search.list_members = !analysis::is_csv(request_.output);
    found_ = analysis::search_halos(*reader_, search, context_.progress);
    if (!writes) return;
    const analysis::CatalogContent content{search.list_members, request_.said.replicate == 1};
    const analysis::FoundCatalog catalog =
        analysis::make_catalog(*reader_, found_, context_.progress, content);
    {
      const compute::TimedRange timer(found_.timings, "write");
      io::write_catalog(request_.output, catalog.catalog, catalog.members, provenance(catalog),
                        context_.progress, {}, request_.files);
    }
    if (!request_.stats.empty()) write_statistics();
    tell_assumed(catalog);
    tell_left_over();
    if (!request_.quiet) say();
  }

 private:
  // With several ranks all call it.
  compute::Device choose_device() const {
    if (device_) return *device_;
    return compute::choose_device_of_rank(request_.device, compute::ranks_or_alone(context_.ranks),
                                          compute::host_name());
  }

  void check_outputs() const {
    // Before what --overwrite would help against.
    if (request_.files > 1 && analysis::is_csv(request_.output))
      throw Error("a CSV is one file", request_.output, "leave out --files, or name it .hdf5");
    refuse_overwriting({request_.snapshot});
    const analysis::Overwriting overwriting{request_.overwrite};
    for (const std::string& name : catalog_names())
      analysis::require_halo_output(name, request_.search, overwriting);
    if (!request_.stats.empty())
      analysis::require_target(request_.stats, analysis::OutputFormat::Json, overwriting);
  }

  // The names of a set differ by themselves.
  void refuse_overwriting(const std::vector<std::string>& inputs) const {
    for (const std::string& name : catalog_names())
      analysis::refuse_overwriting({name, request_.stats}, inputs);
  }

  std::vector<std::string> catalog_names() const {
    return io::names_of_parts(request_.output, request_.files);
  }

  CatalogProvenance provenance(const analysis::FoundCatalog& catalog) const {
    return analysis::halo_provenance(reader_->info(), request_.search, found_, catalog,
                                     context_.command_line);
  }

  std::uint64_t particles() const {
    std::uint64_t n = 0;
    for (const auto& columns : found_.particles.types)
      if (found_.has_members(columns.type)) n += columns.count;
    return n;
  }

  std::uint64_t halos() const { return found_.members.halos(kinds()); }
  std::size_t kinds() const { return found_.particles.types.size(); }
  std::uint64_t members() const { return found_.members.rows.size(); }

  nlohmann::json counts() const {
    nlohmann::json all = {{"particles", particles()}, {"halos", halos()}, {"members", members()}};
    if (found_.substructure) all["clusters"] = found_.substructure->parent.size();
    return all;
  }

  void write_statistics() const {
    nlohmann::json milliseconds = nlohmann::json::object();
    const Timings summed = found_.timings.summed();
    for (const auto& [phase, samples] : summed.samples()) milliseconds[phase] = samples.front();
    const nlohmann::json report = {{"device", found_.device.word()},
                                   {"ranks", compute::ranks_or_alone(context_.ranks).size()},
                                   {"linking_length", found_.linking_length},
                                   {"snapshot", request_.snapshot},
                                   {"length_unit", io::length_unit(reader_->info().units)},
                                   {"counts", counts()},
                                   {"milliseconds", milliseconds},
                                   {"memory",
                                    {{"host_peak_bytes", analysis::peak_host_memory()},
                                     {"device_peak_bytes", found_.peak_device_memory}}}};
    const std::string text = analysis::json_text(report) + "\n";
    AtomicFile file(request_.stats);
    file.write(text.data(), text.size());
    file.commit();
  }

  // To be quiet is to print warnings only, which what was assumed then is, and what the file told
  // is not.
  void tell_assumed(const analysis::FoundCatalog& catalog) const {
    for (const auto& fact : found_.from_file)
      if (!request_.quiet) context_.print("from the file: " + analysis::with_flags(fact));
    analysis::Sentences sentences{sentences_of(reader_->info().assumed), {}};
    for (const auto* told : {&found_.particles.assumed, &found_.said, &catalog.said})
      sentences.told.insert(sentences.told.end(), told->begin(), told->end());
    analysis::tell_sentences(sentences, request_.quiet, context_);
  }

  // Files of an earlier catalog of more files would be taken for part of this one.
  void tell_left_over() const {
    if (request_.files == 1) return;
    std::vector<std::string> left = io::names_of_parts(request_.output, io::kMostCatalogFiles);
    left.erase(left.begin(), left.begin() + request_.files);
    const auto end = std::find_if_not(left.begin(), left.end(), [](const std::string& name) {
      return std::filesystem::is_regular_file(name) && io::is_replaceable_catalog(name);
    });
    left.erase(end, left.end());
    if (left.empty()) return;
    const bool one = left.size() == 1;
    log::warn(fmt::format("{} {} of an earlier catalog; remove {}",
                          one ? left.front() : left.front() + " to " + left.back(),
                          one ? "is" : "are", one ? "it" : "them"));
  }

  void say() const {
    context_.print(fmt::format(
        "{} halo{} of {} or more hold{} {} of {} particles{}; linking length {:.6g}", halos(),
        halos() == 1 ? "" : "s", request_.search.min_members, halos() == 1 ? "s" : "", members(),
        particles(),
        halos() == 0 ? "" : fmt::format(", the largest {}", found_.members.members(0, kinds())),
        found_.linking_length));
    if (found_.substructure) {
      const std::size_t clusters = found_.substructure->parent.size();
      context_.print(fmt::format("{} cluster{} within halos of {} or more", clusters,
                                 clusters == 1 ? "" : "s", request_.search.sub_members()));
    }
    std::string times =
        fmt::format("milliseconds on {}{}:", found_.device.word(),
                    compute::ranks_in_words(compute::ranks_or_alone(context_.ranks).size()));
    const auto summed = found_.timings.summed();
    for (const char* phase : kPhases)
      if (summed.samples().count(phase))
        times += fmt::format(" {} {:.1f}", phase, summed.median(phase));
    context_.print(times);
    const auto names = catalog_names();
    context_.print(names.size() == 1 ? "wrote " + names.front()
                                     : fmt::format("wrote {} files, {} … {}", names.size(),
                                                   names.front(), names.back()));
  }

  const HalosCommand& request_;
  analysis::RunContext& context_;
  const std::optional<compute::Device> device_;
  std::unique_ptr<io::SnapshotReader> reader_;
  analysis::HaloSearch found_;
};

}  // namespace

void run_halos(const HalosCommand& request, analysis::RunContext& context) {
  run_halos_on(devices_of_gpus(request.gpus, request.device, context), request, context);
}

void run_halos_on(const std::vector<compute::Device>& devices, const HalosCommand& request,
                  analysis::RunContext& context) {
  search_on_devices(devices, context, [&](analysis::RunContext& own, auto device) {
    HalosRun(request, own, device).run();
  });
}

void add_halos_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run) {
  auto request = std::make_shared<HalosCommand>();
  CLI::App* command = app.add_subcommand("halos", "Find halos and write a catalog of them");
  command->footer(
      "Halos are friends-of-friends groups, or with --min-points 3 and more DBSCAN's clusters, by "
      "decreasing size. HDF5 catalogs have the layout of GADGET-4's fof_subhalo_tab files and hold "
      "the members' IDs; CSV catalogs hold the properties.");
  command->add_option("SNAPSHOT", request->snapshot, "A file, one of several, or their folder")
      ->required();
  command->add_option("-o,--output", request->output, "The catalog: .hdf5 or .csv")->required();
  command
      ->add_option("--files", request->files,
                   "Write the catalog as so many files: halos.0.hdf5, halos.1.hdf5 … of "
                   "-o halos.hdf5, as GADGET-4 splits its own")
      ->check(CLI::Range(1, io::kMostCatalogFiles))
      ->type_name("N");
  add_option_flags<analysis::HaloOptions>(*command, request->search);
  add_device_option(*command, request->device, &request->said);
  add_gpus_option(*command, request->gpus);
  command->add_option("--stats", request->stats, "Write counts, times and memory as JSON")
      ->type_name("FILE.json");
  add_overwrite_option(*command, request->overwrite);
  command->add_flag("--quiet", request->quiet, "Print warnings and errors only");
  add_snapshot_options(*command, request->said);
  command->callback(
      [request, &context, &run] { run = [request, &context] { run_halos(*request, context); }; });
}

}  // namespace haloscope::app::cli
