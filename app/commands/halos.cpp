#include "app/commands/halos.h"

#include "app/command_line.h"
#include "app/halo_table.h"
#include "app/open_snapshot.h"
#include "app/output_guard.h"
#include "app/statistics.h"
#include "app/text_values.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "io/catalogs/write_catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace haloscope::app {

namespace {

// In the order in which they happen.
constexpr const char* kPhases[] = {"read",         "keys",       "sort",  "build",  "core",
                                   "link",         "border",     "label", "attach", "gather",
                                   "substructure", "properties", "IDs",   "write"};

class HalosRun {
 public:
  HalosRun(const HalosCommand& request, RunContext& context)
      : request_(request), context_(context) {}

  void run() {
    check_outputs();
    reader_ = open_snapshot(request_.snapshot, request_.said);
    const SnapshotInfo& info = reader_->info();
    std::vector<std::string> outputs{request_.output}, inputs = info.files;
    if (!request_.stats.empty()) outputs.push_back(request_.stats);
    inputs.push_back(request_.snapshot);
    refuse_overwriting(outputs, inputs);

    found_ = search_halos(*reader_, request_.search, context_.progress);
    const FoundCatalog catalog = make_catalog(*reader_, found_, context_.progress);
    {
      const ScopedTimer timer(found_.timings, "write");
      io::write_catalog(request_.output, catalog.catalog, catalog.members, provenance(catalog));
    }
    if (!request_.stats.empty()) write_statistics();
    if (!request_.quiet) say(catalog);
  }

 private:
  void check_outputs() const {
    io::require_catalog_output(request_.output);
    if (request_.search.wants_substructure() && lower_case(request_.output).ends_with(".csv"))
      throw Error("a CSV holds one table and has no place for the clusters inside the halos",
                  request_.output, "name the output .hdf5");
    if (!request_.stats.empty()) require_writable(request_.stats);
  }

  CatalogProvenance provenance(const FoundCatalog& catalog) const {
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
    p.parameters["linked types"] = request_.search.types.empty()
                                       ? found_.names.front()
                                       : fmt::format("{}", fmt::join(request_.search.types, ","));
    p.parameters["attached types"] = fmt::format("{}", fmt::join(request_.search.attach, ","));
    if (request_.search.wants_substructure())
      p.parameters["substructure minimum members"] = std::int64_t(request_.search.sub_min_members);
    p.parameters["types"] = fmt::format("{}", fmt::join(found_.names, ","));
    p.parameters["assumed"] = fmt::format("{}", fmt::join(assumed(catalog), " "));
    return p;
  }

  // Sentences: what was taken for granted.
  std::vector<std::string> assumed(const FoundCatalog& catalog) const {
    std::vector<std::string> all = sentences_of(reader_->info().assumed);
    for (const auto* sentences : {&found_.particles.assumed, &found_.said, &catalog.said})
      all.insert(all.end(), sentences->begin(), sentences->end());
    return all;
  }

  std::uint64_t particles() const {
    std::uint64_t n = 0;
    for (const auto& columns : found_.particles.types) n += columns.count;
    return n;
  }

  std::uint64_t halos() const { return found_.members.halos(kinds()); }
  std::size_t kinds() const { return found_.particles.types.size(); }
  std::uint64_t members() const { return found_.members.rows.size(); }

  void write_statistics() const {
    nlohmann::json milliseconds = nlohmann::json::object();
    const Timings summed = found_.timings.summed();
    for (const auto& [phase, samples] : summed.samples()) milliseconds[phase] = samples.front();
    const nlohmann::json report = {
        {"device", found_.device},
        {"linking_length", found_.linking_length},
        {"counts", {{"particles", particles()}, {"halos", halos()}, {"members", members()}}},
        {"milliseconds", milliseconds},
        {"memory",
         {{"host_peak_bytes", peak_host_memory()},
          {"device_peak_bytes", found_.peak_device_memory}}}};
    const std::string text = report.dump(2) + "\n";
    AtomicFile file(request_.stats);
    file.write(text.data(), text.size());
    file.commit();
  }

  void say(const FoundCatalog& catalog) const {
    for (const auto& sentence : assumed(catalog)) context_.print("assumed: " + sentence);
    context_.print(fmt::format(
        "{} halos of {} or more hold {} of {} particles{}; linking length {:.6g}", halos(),
        request_.search.min_members, members(), particles(),
        halos() == 0 ? "" : fmt::format(", the largest {}", found_.members.members(0, kinds())),
        found_.linking_length));
    if (found_.substructure)
      context_.print(fmt::format("{} clusters within halos of {} or more",
                                 found_.substructure->parent.size(),
                                 request_.search.sub_min_members));
    std::string times = fmt::format("milliseconds on {}:", found_.device);
    const auto summed = found_.timings.summed();
    for (const char* phase : kPhases)
      if (summed.samples().count(phase))
        times += fmt::format(" {} {:.1f}", phase, summed.median(phase));
    context_.print(times);
    context_.print("wrote " + request_.output);
  }

  const HalosCommand& request_;
  RunContext& context_;
  std::unique_ptr<io::SnapshotReader> reader_;
  HaloSearch found_;
};

void add_search_options(CLI::App& command, HaloSearchRequest& search) {
  const auto text = [&command](const char* name, const char* value, const char* help, auto use) {
    return command
        .add_option_function<std::string>(
            name, [use, name](const std::string& t) { use(name, t); }, help)
        ->type_name(value);
  };
  text("--types", "dm,…|1,…", "Particles that are linked; default: dark matter",
       [&](const char* name, const std::string& t) { search.types = parse_list(name, t); });
  text("--attach", "gas,stars,…|0,4,…",
       "Particles that join the halo of the linked particle nearest to them",
       [&](const char* name, const std::string& t) { search.attach = parse_list(name, t); });
  auto* spacings = text(
      "--linking-length", "B", "In mean spacings of the linked particles; default: 0.2",
      [&](const char* name, const std::string& t) { search.spacings = parse_number(name, t); });
  text("--epsilon", "LENGTH", "The linking length in the file's own lengths",
       [&](const char* name, const std::string& t) { search.epsilon = parse_number(name, t); })
      ->excludes(spacings);
  command
      .add_option("--min-points", search.min_points,
                  "DBSCAN's minPts, the particle itself counted; 2 is friends-of-friends")
      ->type_name("N");
  command
      .add_option("--min-members", search.min_members,
                  "Fewest particles of a halo, all types counted; default: 32")
      ->type_name("N");
  auto* sub_spacings = text(
      "--sub-linking-length", "B", "Search again inside the halos, by this shorter length",
      [&](const char* name, const std::string& t) { search.sub_spacings = parse_number(name, t); });
  text("--sub-epsilon", "LENGTH", "The same in the file's own lengths",
       [&](const char* name, const std::string& t) { search.sub_epsilon = parse_number(name, t); })
      ->excludes(sub_spacings);
  command
      .add_option("--sub-min-points", search.sub_min_points, "Its minPts; default: as the halos")
      ->type_name("N");
  command
      .add_option("--sub-min-members", search.sub_min_members,
                  "Fewest particles of a cluster inside a halo; default: 20")
      ->type_name("N");
  command
      .add_option("--sub-halos", search.sub_halos,
                  "Search in so many of the largest halos; default: all")
      ->type_name("N");
  text(
      "--algorithm", "auto|fdbscan|densebox|grid", "All give the same halos; auto: the fastest",
      [&](const char* name, const std::string& t) { search.algorithm = parse_algorithm(name, t); });
  text("--softening", "LENGTH",
       "Of gravity, Plummer equivalent, in the file's own lengths; default: what GADGET-4 noted",
       [&](const char* name, const std::string& t) { search.softening = parse_number(name, t); });
  text("--device", "auto|cpu|cuda", "Where to compute; auto: a GPU where there is one",
       [&](const char* name, const std::string& t) {
         if (t != "auto" && t != "cpu" && t != "cuda")
           throw Error("'" + t + "' is not one of auto|cpu|cuda", name);
         search.device = t;
       });
}

}  // namespace

void run_halos(const HalosCommand& request, RunContext& context) {
  HalosRun(request, context).run();
}

void add_halos_command(CLI::App& app, RunContext& context, std::function<void()>& run) {
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
  command->add_flag("--quiet", request->quiet, "Print warnings and errors only");
  add_snapshot_options(*command, request->said);
  command->callback(
      [request, &context, &run] { run = [request, &context] { run_halos(*request, context); }; });
}

}  // namespace haloscope::app
