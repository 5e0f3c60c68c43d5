#include "io/snapshots/gadget_binary.h"

#include "core/error.h"
#include "io/snapshots/field_roles.h"
#include "io/snapshots/gadget_header.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace haloscope::io {

GadgetBinaryReader::GadgetBinaryReader(GadgetBinaryFileSet set) : set_(std::move(set)) {
  const GadgetBinaryHeader& header = set_.files.front().header;
  info_.format = fmt::format(
      "Gadget binary (format {}{}{})", header.format, header.gadget4 ? ", GADGET-4 header" : "",
      header.swap == (std::endian::native == std::endian::little) ? ", big endian" : "");
  for (const auto& file : set_.files) info_.files.push_back(file.path);
  info_.assumed = set_.assumed;
  describe_header(header);
  GadgetFields explained = explain_gadget_blocks(set_.files);
  info_.assumed.insert(info_.assumed.end(), explained.assumed.begin(), explained.assumed.end());
  std::size_t types = 0;
  for (const auto& file : set_.files) types = std::max(types, file.header.count.size());
  for (int type = 0; type < int(types); ++type) add_type(type, explained.fields);
  compare_totals();
  say_missing_masses();
}

void GadgetBinaryReader::describe_header(const GadgetBinaryHeader& header) {
  GadgetHeader facts;
  facts.box = {header.box};
  facts.time = header.time;
  facts.redshift = header.redshift;
  facts.hubble_param = header.hubble_param;
  facts.omega_matter = header.omega_matter;
  facts.omega_lambda = header.omega_lambda;
  if (header.gadget4) {
    // Without Omega0 a redshift that belongs to the time as a scale factor tells a comoving run.
    const bool comoving = header.time > 0 && header.box > 0 &&
                          std::abs(header.time * (1 + header.redshift) - 1) < 1e-6;
    facts.comoving_integration = comoving;
    info_.assumed.push_back(
        fmt::format("GADGET-4's binary header has no cosmology: {} by Time and Redshift.",
                    comoving ? "cosmological" : "not cosmological"));
  }
  describe_cosmology(facts, info_);
  info_.assumed.push_back(
      {fmt::format("Units are not in the file: took {}, {}, {}{}.", length_unit(info_.units),
                   mass_unit(info_.units), velocity_unit(info_.units),
                   info_.units.comoving ? "*sqrt(a)" : ""),
       kUnitFacts});
}

void GadgetBinaryReader::add_type(int type, const std::vector<GadgetField>& fields) {
  TypeInfo info;
  info.name = type_name(type);
  for (const auto& file : set_.files) {
    const std::uint64_t count = file.header.count[std::size_t(type)];
    if (count > 0 && info.count == 0) info.uniform_mass = file.header.mass[std::size_t(type)];
    info.count += count;
  }
  if (info.count == 0) return;
  for (const auto& field : fields) {
    if (!(field.types >> type & 1U)) continue;
    StridedColumn column;
    column.stride = field.bytes_per_particle();
    column.components = field.components;
    column.scalar = field.scalar;
    column.what = "block " + field.label;
    std::uint64_t row = 0;
    for (const auto& file : set_.files) {
      column.swap = file.header.swap;
      const std::uint64_t count = file.header.count[std::size_t(type)];
      if (count == 0) continue;
      std::uint64_t before = 0;
      for (int other = 0; other < type; ++other)
        if (field.types >> other & 1U) before += file.header.count[std::size_t(other)];
      column.parts.push_back(
          {file.path, file.find(field.label)->offset + before * column.stride, row, count});
      row += count;
    }
    columns_[{type, field.name}] = std::move(column);
    const auto scaling = gadget_scaling(field.name, info_.units);
    const std::string unit =
        scaling ? unit_by_scaling(*scaling, info_.units) : unit_by_name(field.name, info_.units);
    info.fields.push_back({field.name, field.components, field.scalar, unit, scaling});
  }
  assign_roles(info);
  if (info.find(Role::Mass)) info.uniform_mass = 0;
  // Gadget's smoothing length is the radius at which the kernel ends.
  if (const FieldInfo* length = info.find("SmoothingLength"); length && length->components == 1)
    info_.smoothing_lengths[type] = {"SmoothingLength", 1.0};
  info_.types.emplace(type, std::move(info));
}

// The sum over the files decides; totals in headers are known to be wrong in the wild.
void GadgetBinaryReader::compare_totals() {
  const GadgetBinaryHeader& header = set_.files.front().header;
  for (std::size_t type = 0; type < header.total.size(); ++type) {
    std::uint64_t sum = 0;
    for (const auto& file : set_.files) sum += file.header.count[type];
    const std::uint64_t total = header.total[type];
    // The high words are often left empty.
    if (sum == total || (sum & 0xffffffffU) == total) continue;
    if (!set_.missing.empty())
      info_.assumed.push_back(fmt::format("Of {} {} particles {} are in the files that are there.",
                                          total, type_name(int(type)), sum));
    else
      info_.assumed.push_back(
          fmt::format("The header promises {} {} particles, the files hold {}: took the files.",
                      total, type_name(int(type)), sum));
  }
}

void GadgetBinaryReader::say_missing_masses() {
  std::vector<std::string> names;
  for (const auto& [number, type] : info_.types)
    if (type.uniform_mass == 0 && !type.find(Role::Mass)) names.push_back(type.name);
  if (!names.empty())
    info_.assumed.push_back(
        fmt::format("The masses of {} are not in the file.", fmt::join(names, ", ")));
}

void GadgetBinaryReader::read_some(int type, const std::string& field,
                                   const std::vector<RowRange>* rows, const ChunkVisitor& visit,
                                   Progress& progress) const {
  const auto found = columns_.find({type, field});
  if (found == columns_.end())
    throw BadFile(
        fmt::format("there is no block of {} for type {} ({})", field, type, type_name(type)),
        info_.files.front());
  read_strided(found->second, rows, fmt::format("reading {} of {}", field, type_name(type)), visit,
               progress);
}

void GadgetBinaryReader::read(int type, const std::string& field, const ChunkVisitor& visit,
                              Progress& progress) const {
  read_some(type, field, nullptr, visit, progress);
}

void GadgetBinaryReader::read_rows(int type, const std::string& field,
                                   const std::vector<RowRange>& rows, const ChunkVisitor& visit,
                                   Progress& progress) const {
  read_some(type, field, &rows, visit, progress);
}

std::unique_ptr<SnapshotReader> open_gadget_binary(const std::string& path,
                                                   const OpenOptions& options) {
  if (options.raw_table) throw NotThisFormat("asked to be read as a raw table", path);
  return std::make_unique<GadgetBinaryReader>(
      find_gadget_binary_files(path, options.allow_missing_files));
}

}  // namespace haloscope::io
