#include "app/cli/halos.h"

#include "analysis/halos/halo_table.h"
#include "analysis/snapshot/json_text.h"
#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/output_guard.h"
#include "analysis/snapshot/statistics.h"
#include "app/cli/add_option.h"
#include "app/cli/snapshot_flags.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/log.h"
#include "core/text_values.h"
#include "core/version.h"
#include "io/catalogs/write_catalog.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace haloscope::app::cli {

namespace {

// In the order in which they happen.
constexpr const char* kPhases[] = {"read",         "keys",       "sort",  "build",  "core",
                                   "link",         "border",     "label", "attach", "gather",
                                   "substructure", "properties", "IDs",   "write"};

class HalosRun {
 public:
  HalosRun(const HalosCommand& request, analysis::RunContext& context)
      : request_(request), context_(context) {}

  void run() {
    check_outputs();
    reader_ = analysis::open_snapshot(request_.snapshot, request_.said);
    const SnapshotInfo& info = reader_->info();
    std::vector<std::string> outputs{request_.output}, inputs = info.files;
    if (!request_.stats.empty()) outputs.push_back(request_.stats);
    inputs.push_back(request_.snapshot);
    analysis::refuse_overwriting(outputs, inputs);

    analysis::HaloSearchRequest search = request_.search;
    search.list_members = !is_csv();
    found_ = analysis::search_halos(*reader_, search, context_.progress);
    const analysis::CatalogContent content{search.list_members, request_.said.replicate == 1};
    const analysis::FoundCatalog catalog =
        analysis::make_catalog(*reader_, found_, context_.progress, content);
    {
      const ScopedTimer timer(found_.timings, "write");
      io::write_catalog(request_.output, catalog.catalog, catalog.members, provenance(catalog),
                        context_.progress);
    }
    if (!request_.stats.empty()) write_statistics();
    tell_assumed(catalog);
    if (!request_.quiet) say();
  }

 private:
  bool is_csv() const { return lower_case(request_.output).ends_with(".csv"); }

  void check_outputs() const {
    const analysis::Overwriting overwriting{request_.overwrite};
    analysis::require_catalog_target(request_.output, overwriting);
    if (request_.search.wants_substructure() && is_csv())
      throw Error("a CSV holds one table and has no place for the clusters inside the halos",
                  request_.output, "name the output .hdf5");
    if (!request_.stats.empty())
      analysis::require_target(request_.stats, analysis::OutputFormat::Json, overwriting);
  }

  CatalogProvenance provenance(const analysis::FoundCatalog& catalog) const {
    CatalogProvenance p;
    p.program_version = version();
    p.snapshot = fmt::format("{}", fmt::join(reader_->info().files, " "));
    p.command_line = context_.command_line;
    p.parameters["linking length"] = found_.linking_length;
    if (!request_.search.epsilon)
      p.parameters["linking length in mean spacings"] = request_.search.spacings;
    p.parameters["minimum points"] = std::int64_t(request_.search.min_points);
    p.parameters["minimum members"] = std::int64_t(request_.search.min_members);
    if (request_.search.sub_spacings)
      p.parameters["substructure linking length in mean spacings"] = *request_.search.sub_spacings;
    if (request_.search.sub_epsilon)
      p.parameters["substructure linking length"] = *request_.search.sub_epsilon;
    p.parameters["softening"] = found_.softening;
    p.parameters["linked types"] = names_of(found_.linked);
    p.parameters["attached types"] = names_of(found_.attached);
    if (request_.search.wants_substructure()) {
      p.parameters["substructure minimum members"] =
          std::int64_t(analysis::sub_min_members(request_.search));
      p.parameters["substructure minimum points"] =
          std::int64_t(request_.search.sub_min_points.value_or(request_.search.min_points));
      if (request_.search.sub_halos)
        p.parameters["substructure searched halos"] = std::int64_t(*request_.search.sub_halos);
    }
    p.parameters["assumed"] = fmt::format("{}", fmt::join(assumed(catalog), " "));
    return p;
  }

  std::string names_of(const std::vector<int>& types) const {
    std::vector<std::string> names;
    for (const int type : types) names.push_back(reader_->info().types.at(type).name);
    return fmt::format("{}", fmt::join(names, ","));
  }

  // Sentences: what was taken for granted.
  std::vector<std::string> assumed(const analysis::FoundCatalog& catalog) const {
    std::vector<std::string> all = sentences_of(reader_->info().assumed);
    for (const auto* sentences : {&found_.particles.assumed, &found_.said, &catalog.said})
      all.insert(all.end(), sentences->begin(), sentences->end());
    return all;
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
    const nlohmann::json report = {{"device", found_.device},
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
      if (!request_.quiet) context_.print("from the file: " + fact);
    for (const auto& sentence : assumed(catalog))
      if (request_.quiet)
        log::warn("assumed: " + sentence);
      else
        context_.print("assumed: " + sentence);
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
                                 clusters == 1 ? "" : "s",
                                 analysis::sub_min_members(request_.search)));
    }
    std::string times = fmt::format("milliseconds on {}:", found_.device);
    const auto summed = found_.timings.summed();
    for (const char* phase : kPhases)
      if (summed.samples().count(phase))
        times += fmt::format(" {} {:.1f}", phase, summed.median(phase));
    context_.print(times);
    context_.print("wrote " + request_.output);
  }

  const HalosCommand& request_;
  analysis::RunContext& context_;
  std::unique_ptr<io::SnapshotReader> reader_;
  analysis::HaloSearch found_;
};

CLI::Option* add_number(CLI::App& command, const std::string& name, const std::string& value_name,
                        const std::string& help, std::optional<double>& target) {
  return add_text(command, name, value_name, help,
                  [name, &target](const std::string& text) { target = parse_number(name, text); });
}

void add_link_options(CLI::App& command, analysis::HaloSearchRequest& search) {
  add_text(command, "--types", "dm,…|1,…", "Particles that are linked; default: dark matter",
           [&search](const auto& t) { search.types = parse_list("--types", t); });
  add_text(command, "--attach", "gas,stars,…|0,4,…",
           "Particles that join the halo of the linked particle nearest to them",
           [&search](const auto& t) { search.attach = parse_list("--attach", t); });
  auto* spacings = add_text(
      command, "--linking-length", "B", "In mean spacings of the linked particles; default: 0.2",
      [&search](const auto& t) { search.spacings = parse_number("--linking-length", t); });
  add_number(command, "--epsilon", "LENGTH", "The linking length in the file's own lengths",
             search.epsilon)
      ->excludes(spacings);
  add_count(command, "--min-points", "N",
            "DBSCAN's minPts, the particle itself counted; 2 is friends-of-friends",
            search.min_points, 2);
  add_count(command, "--min-members", "N",
            "Fewest particles of a halo, all types counted; default: 32", search.min_members, 1);
}

void add_substructure_options(CLI::App& command, analysis::HaloSearchRequest& search) {
  auto* spacings =
      add_number(command, "--sub-linking-length", "B",
                 "Search again inside the halos, by this shorter length", search.sub_spacings);
  add_number(command, "--sub-epsilon", "LENGTH", "The same in the file's own lengths",
             search.sub_epsilon)
      ->excludes(spacings);
  add_count(command, "--sub-min-points", "N", "Its minPts; default: as the halos",
            search.sub_min_points, 1);
  add_count(command, "--sub-min-members", "N",
            "Fewest particles of a cluster inside a halo; default: 20", search.sub_min_members, 1);
  add_count(command, "--sub-halos", "N", "Search in so many of the largest halos; default: all",
            search.sub_halos, 1);
}

void add_search_options(CLI::App& command, analysis::HaloSearchRequest& search) {
  add_link_options(command, search);
  add_substructure_options(command, search);
  add_text(command, "--algorithm", "auto|fdbscan|densebox|grid",
           "All give the same halos; auto: the fastest", [&search](const auto& t) {
             search.algorithm = analysis::parse_algorithm("--algorithm", t);
           });
  add_number(
      command, "--softening", "LENGTH",
      "Of gravity, Plummer equivalent, in the file's own lengths; default: what the snapshot notes",
      search.softening);
  add_device_option(command, search.device);
}

}  // namespace

void run_halos(const HalosCommand& request, analysis::RunContext& context) {
  HalosRun(request, context).run();
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
  add_search_options(*command, request->search);
  command->add_option("--stats", request->stats, "Write counts, times and memory as JSON")
      ->type_name("FILE.json");
  add_overwrite_option(*command, request->overwrite);
  command->add_flag("--quiet", request->quiet, "Print warnings and errors only");
  add_snapshot_options(*command, request->said);
  command->callback(
      [request, &context, &run] { run = [request, &context] { run_halos(*request, context); }; });
}

}  // namespace haloscope::app::cli
