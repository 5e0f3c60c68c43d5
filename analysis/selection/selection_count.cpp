#include "analysis/selection/selection_count.h"

#include "analysis/selection/convert_particles.h"
#include "analysis/selection/filter_options.h"
#include "analysis/selection/selection_ids.h"
#include "analysis/snapshot/choose_types.h"
#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/output_guard.h"
#include "core/error.h"
#include "io/loading/column_dispatch.h"
#include "io/loading/select_rows.h"
#include "io/snapshots/gadget_units.h"

#include <mutex>
#include <utility>

namespace haloscope::analysis {

namespace {

std::optional<double> total_mass(const io::SnapshotReader& reader, int type, const io::RowMap& rows,
                                 Progress& progress) {
  const TypeInfo& info = reader.info().types.at(type);
  const FieldInfo* field = info.find(Role::Mass);
  if (!field) {
    if (!(info.uniform_mass > 0)) return {};
    return info.uniform_mass * double(rows.size());
  }
  std::mutex mutex;
  double total = 0;
  rows.read(
      reader, type, field->name,
      [&](const io::ColumnChunk& chunk) {
        double sum = 0;
        io::with_typed_data(chunk, [&](const auto* from) {
          rows.each(chunk.first, chunk.rows,
                    [&](std::uint64_t i, std::uint64_t, std::uint64_t) { sum += double(from[i]); });
        });
        const std::lock_guard lock(mutex);
        total += sum;
      },
      progress);
  return total;
}

// Followed particles must be told by IDs here as well.
void require_ids_here(const SelectionRequest& request, const SnapshotInfo& info,
                      const std::vector<int>& types) {
  if (request.chosen.follow_ids || request.chosen.of_finding()) require_ids(info, types);
}

// Neither the snapshot that is read may be replaced nor the one that the selection was made in: its
// IDs are gone with it. A snapshot that is away has no files to lose, and known IDs do without it.
void refuse_snapshots(const SelectionRequest& request, const SnapshotInfo& info,
                      const std::string& output) {
  std::vector<std::string> inputs = info.files;
  inputs.push_back(request.snapshot);
  if (request.made_in != request.snapshot) {
    inputs.push_back(request.made_in);
    try {
      const auto home = open_snapshot(request.made_in, request.said);
      const std::vector<std::string>& files = home->info().files;
      inputs.insert(inputs.end(), files.begin(), files.end());
    } catch (const Error&) {
      // Where it is needed, whoever reads it tells what is wrong with it.
    }
  }
  refuse_overwriting({output}, inputs);
}

void count_type(const io::SnapshotReader& reader, int type, const io::SelectedRows& selected,
                SelectionCount& count, Progress& progress) {
  const TypeInfo& info = reader.info().types.at(type);
  SelectionCount::OfType one{info.name, 0, info.count, {}};
  if (const auto rows = selected.rows.find(type); rows != selected.rows.end()) {
    one.selected = rows->second.size();
    one.mass = total_mass(reader, type, rows->second, progress);
  }
  count.types.push_back(std::move(one));
}

}  // namespace

bool SelectionRequest::same_ids_as(const SelectionRequest& other) const {
  SelectionChoice mine = chosen, theirs = other.chosen;
  mine.follow_ids = theirs.follow_ids = false;
  return mine == theirs && made_in == other.made_in;
}

bool SelectionRequest::same_as(const SelectionRequest& other) const {
  return chosen == other.chosen && made_in == other.made_in && snapshot == other.snapshot;
}

std::uint64_t SelectionCount::selected() const {
  std::uint64_t sum = 0;
  for (const OfType& type : types) sum += type.selected;
  return sum;
}

std::optional<double> SelectionCount::mass() const {
  double sum = 0;
  for (const OfType& type : types) {
    if (type.selected == 0) continue;
    if (!type.mass) return {};
    sum += *type.mass;
  }
  return sum;
}

SelectionCount count_selection(const SelectionRequest& request, Progress& progress) {
  const auto reader = open_snapshot(request.snapshot, request.said);
  const SnapshotInfo& info = reader->info();
  const std::vector<int> types = choose_types(info, {});
  require_ids_here(request, info, types);
  ChosenParticles chosen = chosen_particles(request, progress);
  chosen.filter = named_filter(info, types, chosen.filter);
  const io::SelectedRows selected =
      io::find_rows(*reader, types, chosen.selection, chosen.filter, progress);
  SelectionCount count;
  count.mass_unit = io::mass_unit(info.units);
  for (const int type : types) count_type(*reader, type, selected, count, progress);
  if (chosen.ids) count.said = chosen.ids->said;
  if (request.follows()) {
    count.sought = io::ids_in(*chosen.filter.ids);
    count.found = selected.ids_found;
    for (auto& sentence : types_without_ids(info, types, *chosen.filter.ids))
      count.said.push_back(std::move(sentence));
  }
  // Also at home, where a piece's members are told by their IDs.
  for (auto& sentence : io::describe_shared_ids(selected, chosen.filter))
    count.said.push_back(std::move(sentence));
  count.ids = std::move(chosen.ids);
  return count;
}

void export_selection(const SelectionRequest& request, const std::string& path,
                      const std::function<void(const std::string&)>& say, Progress& progress) {
  ConvertCommand convert;
  convert.snapshot = request.snapshot;
  convert.output = path;
  convert.overwrite = true;  // whoever gave the command was asked
  convert.said = request.said;
  {
    const auto reader = open_snapshot(request.snapshot, request.said);
    refuse_snapshots(request, reader->info(), path);
    require_ids_here(request, reader->info(), choose_types(reader->info(), {}));
  }
  ChosenParticles chosen = chosen_particles(request, progress);
  convert.selection = chosen.selection;
  convert.filter.filter = std::move(chosen.filter);
  RunContext context{progress, say, "haloscope view"};
  run_convert(convert, context);
}

}  // namespace haloscope::analysis
