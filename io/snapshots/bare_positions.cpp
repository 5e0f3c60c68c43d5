#include "io/snapshots/bare_positions.h"

#include "core/error.h"
#include "core/text_values.h"
#include "io/hdf5/hdf5_column.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/snapshots/hdf5_dialect.h"
#include "io/snapshots/hdf5_particle_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace haloscope::io {

namespace {

constexpr int kType = 1;

// The one dataset of positions among those of three columns.
std::string choose_positions(const std::vector<std::string>& candidates, const std::string& path) {
  if (candidates.size() == 1) return candidates.front();
  for (const char* known : {"coordinates", "positions", "position", "pos", "xyz", "coords"})
    for (const auto& name : candidates)
      if (lower_case(name) == known) return name;
  throw Error(fmt::format("the file holds several datasets of three columns ({}), none called like "
                          "positions",
                          fmt::join(candidates, ", ")),
              path, "rename the one that holds positions to Coordinates");
}

// People who write such files have no custom; these are the usual words.
void assign_bare_roles(TypeInfo& type) {
  static const std::map<std::string, Role> words{{"velocities", Role::Velocity},
                                                 {"velocity", Role::Velocity},
                                                 {"vel", Role::Velocity},
                                                 {"masses", Role::Mass},
                                                 {"mass", Role::Mass},
                                                 {"m", Role::Mass},
                                                 {"particleids", Role::Id},
                                                 {"ids", Role::Id},
                                                 {"id", Role::Id}};
  for (const auto& field : type.fields) {
    const auto word = words.find(lower_case(field.name));
    if (word == words.end() || type.roles.count(word->second)) continue;
    const int components = word->second == Role::Velocity ? 3 : 1;
    if (field.components == components) type.roles[word->second] = field.name;
  }
}

class BarePositionsReader : public SnapshotReader {
 public:
  BarePositionsReader(const std::string& path, const OpenOptions& options)
      : reach_(path, options.allow_outside_files) {
    info_.files = {path};
    const OtherFiles others = check_other_files(path, reach_, info_.assumed);
    leave_out_missing_files(path, others, options.allow_missing_files, info_.assumed);
    for (const auto& other : others.found) info_.files.push_back(other.path);
    const Hdf5Handle file = open_hdf5_file(path);
    std::vector<std::string> candidates;
    std::map<std::string, DatasetLayout> layouts;
    for (const auto& name : dataset_names(file.id())) {
      const Hdf5Handle dataset = open_hdf5_dataset(file.id(), name);
      const DatasetLayout layout = dataset_layout(dataset.id());
      const bool column = layout.numeric && layout.components() > 0 &&
                          (layout.shape.size() == 1 || layout.shape.size() == 2);
      if (!column || !storage_can_hold_values(dataset.id(), layout)) continue;
      layouts[name] = layout;
      if (layout.shape.size() == 2 && layout.shape[1] == 3) candidates.push_back(name);
    }
    if (candidates.empty())
      throw BadFile("the datasets of three columns hold no values", path, "copy the file again");
    const std::string positions = choose_positions(candidates, path);
    TypeInfo type;
    type.name = type_name(kType);
    type.count = layouts.at(positions).rows();
    for (const auto& [name, layout] : layouts)
      if (layout.rows() == type.count)
        type.fields.push_back({name, layout.components(), layout.scalar, {}});
    type.roles[Role::Position] = positions;
    assign_bare_roles(type);
    info_.format = facts_of(Hdf5Dialect::BarePositions).name;
    if (type.count > 0) info_.types.emplace(kType, std::move(type));
    info_.assumed.push_back(
        fmt::format("The file is no snapshot: took dataset {} as positions of {} particles.",
                    positions, type_name(kType)));
    std::set<Fact> facts = kUnitFacts;
    facts.insert(Fact::Box);
    info_.assumed.push_back(
        {"Units are unknown and there is no box: lengths are told as kpc, and nothing is periodic.",
         facts});
  }

  void read(int type, const std::string& field, const ChunkVisitor& visit,
            Progress& progress) const override {
    read_columns(type, field, nullptr, visit, progress);
  }
  void read_rows(int type, const std::string& field, const std::vector<RowRange>& rows,
                 const ChunkVisitor& visit, Progress& progress) const override {
    read_columns(type, field, &rows, visit, progress);
  }

 private:
  void read_columns(int type, const std::string& field, const std::vector<RowRange>* wanted,
                    const ChunkVisitor& visit, Progress& progress) const {
    const auto found = info_.types.find(type);
    const FieldInfo* column = found == info_.types.end() ? nullptr : found->second.find(field);
    if (!column) throw BadFile("dataset " + field + " is missing", info_.files.front());
    const TypeInfo& info = found->second;
    std::uint64_t total = wanted ? 0 : info.count;
    if (wanted)
      for (const RowRange& range : *wanted) total += range.end - range.begin;
    RowProgress rows(progress, fmt::format("reading {} of {}", field, info.name), total);
    read_hdf5_column(
        {info_.files.front(), field, info.name, 0, info.count, column->components, wanted, &reach_},
        visit, rows);
  }

  Hdf5Reach reach_;
};

}  // namespace

std::unique_ptr<SnapshotReader> open_bare_positions(const std::string& path,
                                                    const OpenOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return {};
  {
    const Hdf5Handle file = open_hdf5_file(path);
    if (detect_hdf5_dialect(file.id()) != Hdf5Dialect::BarePositions) return {};
  }
  return std::make_unique<BarePositionsReader>(path, options);
}

}  // namespace haloscope::io
