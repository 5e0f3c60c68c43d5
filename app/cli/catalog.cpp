#include "app/cli/catalog.h"

#include "analysis/catalogs/catalog_comparison.h"
#include "analysis/catalogs/catalog_report.h"
#include "analysis/halos/halo_output.h"
#include "analysis/snapshot/json_text.h"
#include "analysis/snapshot/output_guard.h"
#include "app/cli/add_option.h"
#include "app/cli/info_report.h"
#include "core/edit_distance.h"
#include "core/error.h"
#include "core/text_values.h"
#include "io/catalogs/catalog_reader.h"
#include "io/catalogs/read_halo_members.h"
#include "io/catalogs/text_catalogs.h"
#include "io/catalogs/tree_tables.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

namespace haloscope::app::cli {

namespace {

using nlohmann::json;

constexpr std::uint64_t kUsualTop = 10;

std::string file_of(const HaloCatalog& catalog) {
  return catalog.files.empty() ? std::string() : catalog.files.front();
}

// By name in any case; without one the first that has halos.
const HaloTable& choose_table(const HaloCatalog& catalog, const std::string& word) {
  std::vector<std::string> names;
  for (const auto& table : catalog.tables) {
    if (!word.empty() && lower_case(table.name) == lower_case(word)) return table;
    names.push_back(table.name);
  }
  if (!word.empty())
    throw Error(fmt::format("there is no table {}", word), file_of(catalog),
                fmt::format("there are {}", fmt::join(names, ", ")));
  for (const auto& table : catalog.tables)
    if (table.count > 0) return table;
  return catalog.tables.front();
}

const CatalogColumn& choose_column(const HaloCatalog& catalog, const HaloTable& table,
                                   const std::string& word) {
  if (const CatalogColumn* exact = table.find(word)) return *exact;
  std::vector<std::string> names;
  for (const auto& column : table.columns) {
    if (lower_case(column.name) == lower_case(word)) return column;
    names.push_back(column.name);
  }
  const auto nearest = nearest_word(word, names);
  throw Error(fmt::format("table {} has no column {}", table.name, word), file_of(catalog),
              (nearest ? "did you mean " + *nearest + "? It has " : std::string("it has ")) +
                  fmt::format("{}", fmt::join(names, ", ")));
}

std::vector<const CatalogColumn*> choose_columns(const HaloCatalog& catalog, const HaloTable& table,
                                                 const CatalogRequest& request) {
  std::vector<const CatalogColumn*> columns;
  const auto add = [&](const CatalogColumn* column) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end())
      columns.push_back(column);
  };
  if (!request.columns.empty()) {
    for (const auto& word : parse_list("--columns", request.columns))
      add(&choose_column(catalog, table, word));
    return columns;
  }
  for (const HaloRole role : {HaloRole::Id, HaloRole::HostId, HaloRole::MemberCount, HaloRole::Mass,
                              HaloRole::Radius, HaloRole::Position, HaloRole::Velocity}) {
    const auto found = table.roles.find(role);
    if (found == table.roles.end()) continue;
    for (const auto& name : found->second) add(table.find(name));
  }
  // What peaks are told by, and places in two dimensions.
  for (const char* name : {"GroupPos", "GroupPeakValue", "GroupPersistence"})
    if (const CatalogColumn* const column = table.find(name)) add(column);
  return columns;
}

// All rows, the largest first: by mass, for want of it by members. Those that are not numbers come
// last, rows of equal value keep the file's order.
std::vector<std::uint64_t> sorted_rows(const HaloCatalog& catalog, const HaloTable& table,
                                       const std::string& word) {
  std::vector<std::uint64_t> rows(table.count);
  std::iota(rows.begin(), rows.end(), 0);
  const CatalogColumn* column = table.find(HaloRole::Mass);
  if (!column) column = table.find(HaloRole::MemberCount);
  if (!word.empty()) column = &choose_column(catalog, table, word);
  if (!column) return rows;
  if (column->components != 1)
    throw Error(fmt::format("{} has {} components: {} cannot be sorted by it", column->name,
                            column->components, analysis::words_of(catalog).several),
                "--sort", "choose a column of one");
  std::visit(
      [&](const auto& values) {
        std::stable_sort(rows.begin(), rows.end(), [&](std::uint64_t a, std::uint64_t b) {
          // NaN compares with nothing: told apart, or the order would have no meaning.
          const bool no_a = values[a] != values[a], no_b = values[b] != values[b];
          if (no_a || no_b) return !no_a && no_b;
          return values[a] > values[b];
        });
      },
      column->values);
  return rows;
}

// In front of the others, unless it is among them.
void show_sorted_by(const CatalogColumn& column, std::vector<const CatalogColumn*>& columns) {
  if (std::find(columns.begin(), columns.end(), &column) == columns.end())
    columns.insert(columns.begin(), &column);
}

// Who asks for rows knows the columns.
bool asks_for_rows(const CatalogRequest& request) {
  return !request.columns.empty() || !request.sort.empty() || !request.output.empty() ||
         request.top;
}

void show(const HaloCatalog& catalog, const CatalogRequest& request,
          analysis::RunContext& context) {
  const HaloTable& table = choose_table(catalog, request.table);
  auto columns = choose_columns(catalog, table, request);
  auto rows = sorted_rows(catalog, table, request.sort);
  if (!request.output.empty()) {
    // All columns unless some were named: a copy shall lose nothing.
    std::vector<const CatalogColumn*> written = columns;
    if (request.columns.empty()) {
      written.clear();
      for (const auto& column : table.columns) written.push_back(&column);
    }
    io::write_csv_catalog(request.output, catalog, table, written, rows, context.progress);
  }
  rows.resize(std::min<std::size_t>(rows.size(), std::size_t(request.top.value_or(kUsualTop))));
  const std::vector<io::TreeTable> trees = io::list_tree_tables(file_of(catalog));
  if (!request.sort.empty()) show_sorted_by(choose_column(catalog, table, request.sort), columns);
  if (request.json) {
    json all = analysis::catalog_json(catalog);
    all["largest"] = {{"table", table.name}, {"rows", analysis::rows_json(columns, rows)}};
    for (const io::TreeTable& tree : trees) all["beside"][tree.name] = tree.rows;
    context.print(analysis::json_text(all));
    return;
  }
  std::string text = analysis::catalog_text(catalog, !asks_for_rows(request));
  for (std::size_t k = 0; k < trees.size(); ++k)
    text += k > 0 && trees[k].name == trees[k - 1].name
                ? fmt::format(", {} {}", trees[k].rows, trees[k].what)
                : fmt::format("\nbeside    {}: {} {}", trees[k].name, trees[k].rows, trees[k].what);
  context.print(text);
  if (!rows.empty()) context.print("\n" + analysis::rows_text(table, columns, rows));
  if (!request.output.empty())
    context.print(fmt::format("wrote {} ({} {}{})", request.output, table.count,
                              analysis::words_of(catalog).of(table.count),
                              analysis::is_csv(request.output) ? "" : ", as CSV"));
}

HaloCatalog open(const std::string& path, const CatalogRequest& request,
                 analysis::RunContext& context) {
  try {
    return io::open_catalog(path, {request.allow_missing_files}, context.progress);
  } catch (const MissingFiles& error) {
    if (request.allow_missing_files) throw;
    throw MissingFiles(std::string(error.what()) + ", or go on without them: --allow-missing");
  }
}

void compare(const HaloCatalog& first, const CatalogRequest& request,
             analysis::RunContext& context) {
  const HaloCatalog second = open(request.compare, request, context);
  const HaloTable& first_table = choose_table(first, request.table);
  const bool same = second.find(first_table.name) && second.find(first_table.name)->count > 0;
  const HaloTable& second_table = choose_table(second, same ? first_table.name : std::string());
  const auto members = io::read_halo_members(first, first_table, context.progress);
  std::optional<HaloMembers> others;
  if (members) others = io::read_halo_members(second, second_table, context.progress);
  std::optional<analysis::MembersOfBoth> both;
  if (members && others) both.emplace(analysis::MembersOfBoth{*members, *others});
  const analysis::CatalogComparison comparison = analysis::compare_catalogs(
      first, first_table, second, second_table, {request.within, request.distance},
      context.progress, both ? &*both : nullptr);
  if (!request.output.empty())
    analysis::write_pairs(request.output, comparison, first_table, second_table);
  if (request.json) {
    json all = analysis::comparison_json(comparison);
    all["first"] = analysis::catalog_json(first);
    all["second"] = analysis::catalog_json(second);
    all["tables"] = {first_table.name, second_table.name};
    context.print(analysis::json_text(all));
    return;
  }
  context.print(fmt::format("first     {} of {} ({})\nsecond    {} of {} ({})\n{}",
                            first_table.name, file_of(first), first.format, second_table.name,
                            file_of(second), second.format, analysis::comparison_text(comparison)));
  for (const auto* catalog : {&first, &second})
    for (const auto& sentence : catalog->assumed)
      context.print(fmt::format("assumed   {}: {}", catalog->format, sentence));
  if (!request.output.empty())
    context.print(fmt::format("wrote {} ({} pairs)", request.output, comparison.pairs.size()));
}

}  // namespace

void run_catalog(const CatalogRequest& request, analysis::RunContext& context) {
  if (!(request.within > 0) || !std::isfinite(request.within))
    throw Error("the fraction of a radius must be positive", "--within");
  if (request.distance && (!(*request.distance > 0) || !std::isfinite(*request.distance)))
    throw Error("the distance must be positive", "--distance");
  if (request.compare.empty() && (request.distance || request.said_within))
    throw Error("this tells which halos of two catalogs match, and there is one catalog",
                request.distance ? "--distance" : "--within", "name the other by --compare");
  const HaloCatalog catalog = open(request.file, request, context);
  if (!request.output.empty()) {
    std::vector<std::string> inputs = catalog.files;
    if (!request.compare.empty()) inputs.push_back(request.compare);
    analysis::refuse_overwriting({request.output}, inputs);
    analysis::require_target(request.output, analysis::OutputFormat::Csv, {request.overwrite});
  }
  if (request.compare.empty())
    show(catalog, request, context);
  else
    compare(catalog, request, context);
}

void add_catalog_command(CLI::App& app, analysis::RunContext& context, std::function<void()>& run) {
  auto request = std::make_shared<CatalogRequest>();
  CLI::App* command = app.add_subcommand(
      "catalog", "What a halo catalog holds, its largest halos, and how it compares with another");
  command
      ->add_option("FILE", request->file,
                   "fof_subhalo_tab HDF5 (a file, one of several, or their folder), Rockstar list, "
                   "AHF halos, or CSV with a row of names")
      ->required();
  command->add_flag("--json", request->json, "As JSON");
  command->add_option("--table", request->table, "Group, Subhalo …; default: the first with halos");
  add_count(*command, "--top", "N", "How many halos to list; default: 10", request->top, 0);
  command
      ->add_option("--sort", request->sort,
                   "Column whose largest come first; default: the mass, or else the members")
      ->type_name("COLUMN");
  command
      ->add_option("--columns", request->columns,
                   "Columns to list or write, with commas between; default: the main ones, and all "
                   "in a file")
      ->type_name("NAMES");
  command
      ->add_option("-o,--output", request->output,
                   "Write the table as CSV, or with --compare the pairs")
      ->type_name("OUT.csv");
  command->add_option("--compare", request->compare, "Match with the halos of another catalog")
      ->type_name("OTHER");
  CatalogRequest& r = *request;
  add_text(*command, "--within", "RADII",
           "Halos match within this many radii of the larger one; default: 1", [&r](const auto& t) {
             r.within = parse_number("--within", t);
             r.said_within = true;
           });
  add_text(*command, "--distance", "LENGTH",
           "Match within this length instead, in the first catalog's unit",
           [&r](const auto& t) { r.distance = parse_number("--distance", t); });
  add_overwrite_option(*command, request->overwrite);
  command->add_flag("--allow-missing", request->allow_missing_files,
                    "Go on when files of a multi-file catalog are missing");
  command->add_flag("--allow-missing-files", request->allow_missing_files)->group("");
  command->callback(
      [request, &context, &run] { run = [request, &context] { run_catalog(*request, context); }; });
}

}  // namespace haloscope::app::cli
