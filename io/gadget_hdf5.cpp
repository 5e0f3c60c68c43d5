#include "io/gadget_hdf5.h"

#include "core/error.h"
#include "io/gadget_hdf5_units.h"
#include "io/hdf5_column.h"
#include "io/hdf5_dataset.h"
#include "io/hdf5_handle.h"

#include <fmt/format.h>

#include <algorithm>

namespace haloscope::io {

namespace {

const std::string kPositions = "Coordinates";

std::string group_name(int type) {
  return "PartType" + std::to_string(type);
}

bool contains_dataset(const std::string& path, const std::string& dataset) {
  const Hdf5Handle file = open_hdf5_file(path);
  return bool(open_hdf5_dataset(file.id(), dataset));
}

}  // namespace

GadgetHdf5Reader::GadgetHdf5Reader(GadgetFileSet files) : set_(std::move(files)) {
  const GadgetHeader& header = set_.headers.front();
  info_.format = fmt::format("Gadget HDF5 ({})", dialect_name(set_.dialect));
  info_.files = set_.files;
  info_.assumed = set_.assumed;
  if (!header.counts_given)
    info_.assumed.push_back("The header has no particle counts: took them from the datasets.");
  describe_cosmology(header, info_);
  adopt_unit_attributes();

  std::size_t types = 0;
  for (const auto& one : set_.headers) types = std::max(types, one.this_file.size());
  for (int type = 0; type < int(types); ++type) {
    std::vector<std::size_t> holders;
    for (std::size_t i = 0; i < set_.files.size(); ++i)
      if (set_.headers[i].count(type) > 0) holders.push_back(i);
    if (!holders.empty()) add_type(type, holders);
  }
  compare_totals();
  describe_conventions();
}

// Types without positions (TNG's tracers, files thinned out by their users) cannot be drawn; types
// that have them in some files only are damage.
void GadgetHdf5Reader::add_type(int type, const std::vector<std::size_t>& holders) {
  const std::string dataset = group_name(type) + "/" + kPositions;
  std::vector<std::string> lacking;
  TypeInfo info;
  info.name = type_name(type);
  for (const std::size_t i : holders) {
    info.count += set_.headers[i].count(type);
    if (!contains_dataset(set_.files[i], dataset)) lacking.push_back(set_.files[i]);
  }
  if (lacking.size() == holders.size()) {
    const bool integers =
        contains_dataset(set_.files[holders[0]], group_name(type) + "/IntCoordinates");
    info_.assumed.push_back(
        fmt::format("{} ({}, {} particles) is left out: it has no {}{}.", group_name(type),
                    info.name, info.count, kPositions,
                    integers ? " but IntCoordinates, which this version does not read" : ""));
    return;
  }
  if (!lacking.empty())
    throw BadFile(fmt::format("dataset {} ({}) is missing", dataset, info.name), lacking.front(),
                  "the header promises particles of this type: copy the file again");

  list_fields(type, info, set_.files[holders[0]], set_.headers[holders[0]].count(type));
  const auto& masses = set_.headers[holders[0]].mass_table;
  if (std::size_t(type) < masses.size() && !info.find("Masses"))
    info.uniform_mass = masses[std::size_t(type)];
  find_smoothing_length(type, info);
  info_.types.emplace(type, std::move(info));
}

// Every numeric dataset is a field, whatever its name. A length that does not fit is reported when
// the field is read, save for positions, without which nothing works.
void GadgetHdf5Reader::list_fields(int type, TypeInfo& info, const std::string& path,
                                   std::uint64_t rows) {
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Handle group = open_hdf5_group(file.id(), group_name(type));
  for (const auto& name : dataset_names(group.id())) {
    const Hdf5Handle dataset = open_hdf5_dataset(group.id(), name);
    const DatasetLayout layout = dataset_layout(dataset.id());
    const bool column = layout.numeric && (layout.shape.size() == 1 || layout.shape.size() == 2) &&
                        layout.components() > 0;
    if (name == kPositions && (!column || layout.components() != 3 || layout.rows() != rows))
      throw BadFile(fmt::format("dataset {}/{} ({}) has the wrong shape: expected {}, found {}",
                                group_name(type), name, info.name, shape_text({rows, 3}),
                                layout.numeric ? shape_text(layout.shape) : "no numbers"),
                    path);
    if (!column) continue;
    const auto scaling = read_field_scaling(dataset.id());
    const std::string unit =
        scaling ? unit_by_scaling(*scaling, info_.units) : unit_by_name(name, info_.units);
    info.fields.push_back({name, layout.components(), layout.scalar, unit});
  }
}

// Gadget's, GIZMO's and SUBFIND's smoothing lengths are the radius at which the kernel ends
// (checked on GADGET-4: DesNumNgb = 64, mean number of neighbors inside it 61.6).
void GadgetHdf5Reader::find_smoothing_length(int type, const TypeInfo& info) {
  for (const char* name : {"SmoothingLength", "SubfindHsml", "StellarHsml"}) {
    const FieldInfo* field = info.find(name);
    if (!field || field->components != 1) continue;
    info_.smoothing_lengths[type] = {name, 1.0};
    if (std::string(name) != "SmoothingLength")
      info_.assumed.push_back(fmt::format("{} of {} serves as smoothing length.", name, info.name));
    return;
  }
}

// The dataset's own note is better evidence than the convention.
void GadgetHdf5Reader::adopt_unit_attributes() {
  const GadgetHeader& header = set_.headers.front();
  std::optional<FieldScaling> scaling;
  for (std::size_t i = 0; i < set_.files.size() && !scaling; ++i) {
    const auto& counts = set_.headers[i].this_file;
    const auto used = std::find_if(counts.begin(), counts.end(), [](auto n) { return n > 0; });
    if (used == counts.end()) continue;
    const Hdf5Handle file = open_hdf5_file(set_.files[i]);
    const Hdf5Handle positions =
        open_hdf5_dataset(file.id(), group_name(int(used - counts.begin())) + "/" + kPositions);
    if (!positions) continue;
    scaling = read_field_scaling(positions.id());
    break;
  }
  if (scaling && scaling->to_cgs > 0) {
    if (!header.length_cm) info_.units.length_cm = scaling->to_cgs;
    info_.units.per_h = scaling->h == -1;
    info_.units.comoving = info_.units.comoving && scaling->a == 1;
  }
  std::vector<std::string> taken;
  if (!header.length_cm && !(scaling && scaling->to_cgs > 0))
    taken.push_back(length_unit(info_.units));
  if (!header.mass_g) taken.push_back(mass_unit(info_.units));
  if (!header.velocity_cm_per_s)
    taken.push_back(velocity_unit(info_.units) + (info_.units.comoving ? "*sqrt(a)" : ""));
  if (!taken.empty())
    info_.assumed.push_back(
        fmt::format("Units are not in the file: took {}.", fmt::join(taken, ", ")));
}

// The sum over the files decides; totals in headers are known to be wrong in the wild.
void GadgetHdf5Reader::compare_totals() {
  const GadgetHeader& header = set_.headers.front();
  for (int type = 0; type < int(header.total.size()); ++type) {
    std::uint64_t sum = 0;
    for (const auto& one : set_.headers) sum += one.count(type);
    const std::uint64_t total = header.total_count(type);
    // Low words without high words can only be compared modulo 2^32.
    if (sum == total || (sum & 0xffffffffU) == total) continue;
    if (!set_.missing.empty())
      info_.assumed.push_back(fmt::format("Of {} {} particles {} are in the files that are there.",
                                          total, type_name(type), sum));
    else
      info_.assumed.push_back(
          fmt::format("The header promises {} {} particles, the files hold {}: took the files.",
                      total, type_name(type), sum));
  }
}

void GadgetHdf5Reader::describe_conventions() {
  if (set_.dialect != Hdf5Dialect::Arepo) return;
  info_.assumed.push_back("AREPO file read by Gadget's conventions: gas cells as particles.");
  const auto stars = info_.types.find(4);
  if (stars != info_.types.end() && stars->second.find("GFM_StellarFormationTime"))
    info_.assumed.push_back(
        "Stars include wind particles where GFM_StellarFormationTime is not positive.");
}

void GadgetHdf5Reader::read(int type, const std::string& field, const ChunkVisitor& visit,
                            Progress& progress) const {
  const auto found = info_.types.find(type);
  const FieldInfo* column = found == info_.types.end() ? nullptr : found->second.find(field);
  if (!column)
    throw BadFile(
        fmt::format("dataset {}/{} ({}) is missing", group_name(type), field, type_name(type)),
        set_.files.front());
  RowProgress rows(progress, fmt::format("reading {} of {}", field, found->second.name),
                   found->second.count);
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < set_.files.size(); ++i) {
    const std::uint64_t count = set_.headers[i].count(type);
    if (count == 0) continue;
    read_hdf5_column({set_.files[i], group_name(type) + "/" + field, found->second.name, first,
                      count, column->components},
                     visit, rows);
    first += count;
  }
}

std::unique_ptr<SnapshotReader> open_gadget_hdf5(const std::string& path,
                                                 const OpenOptions& options) {
  if (options.raw_table) throw NotThisFormat("asked to be read as a raw table", path);
  return std::make_unique<GadgetHdf5Reader>(find_gadget_files(path, options.allow_missing_files));
}

}  // namespace haloscope::io
