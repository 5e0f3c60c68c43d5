#include "io/catalogs/write_fields.h"

#include "core/atomic_file.h"
#include "core/visible_text.h"
#include "io/catalogs/write_catalog.h"
#include "io/hdf5/hdf5_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>

namespace haloscope::io {

namespace {

constexpr std::size_t kFieldsFlushBytes = std::size_t(1) << 20;
constexpr std::uint64_t kFieldsMetadataBytes = std::uint64_t(1) << 16, kDatasetBytes = 4096;

std::set<int> types_of(const std::vector<FieldColumn>& fields) {
  std::set<int> types;
  for (const FieldColumn& field : fields)
    for (const auto& [type, values] : field.values)
      if (!values->empty()) types.insert(type);
  return types;
}

void write_provenance(Hdf5Writer& writer, const CatalogProvenance& provenance) {
  const Hdf5Handle origin = writer.group("Provenance");
  writer.text(origin.id(), "Program", provenance.program_version);
  writer.text(origin.id(), "Snapshot", provenance.snapshot);
  writer.text(origin.id(), "CommandLine", provenance.command_line);
}

void write_hdf5(const std::string& path, const std::vector<FieldColumn>& fields,
                const CatalogProvenance& provenance, Progress& progress) {
  std::uint64_t bytes = kFieldsMetadataBytes;
  std::size_t datasets = 0, written = 0;
  for (const FieldColumn& field : fields)
    for (const auto& [type, values] : field.values) {
      bytes += kDatasetBytes + values->size() * sizeof(float);
      ++datasets;
    }
  Hdf5Writer writer(path, bytes);
  write_provenance(writer, provenance);
  writer.group(kFieldsGroup);
  for (const FieldColumn& field : fields)
    for (const auto& [type, values] : field.values) {
      progress.report("writing fields", double(written++) / double(datasets));
      if (values->empty()) continue;
      const std::string name = fmt::format("PartType{}/{}", type, field.name);
      const Hdf5Handle dataset = writer.dataset(name, ScalarType::Float32, values->size(), 1);
      writer.write_rows(dataset.id(), name, ScalarType::Float32, 0, values->size(), 1,
                        values->data());
      writer.text(dataset.id(), "unit", field.unit);
    }
  writer.commit();
}

std::string csv_head(const std::vector<FieldColumn>& fields, const CatalogProvenance& provenance) {
  std::string text =
      fmt::format("# {}\n# program = {}\n# snapshot = {}\n# command line = {}\n", kFieldsMark,
                  visible_text(provenance.program_version), visible_text(provenance.snapshot),
                  visible_text(provenance.command_line));
  text += "type,row";
  for (const FieldColumn& field : fields)
    text += "," + field.name + (field.unit.empty() ? "" : " [" + field.unit + "]");
  return text + "\n";
}

// A field that says nothing of a type, or of a particle, leaves its place empty.
void append_row(std::string& text, const std::vector<FieldColumn>& fields, int type,
                std::uint64_t row) {
  fmt::format_to(std::back_inserter(text), "{},{}", type, row);
  for (const FieldColumn& field : fields) {
    text += ',';
    const auto values = field.values.find(type);
    if (values == field.values.end() || row >= values->second->size()) continue;
    const float value = (*values->second)[std::size_t(row)];
    if (!std::isnan(value)) fmt::format_to(std::back_inserter(text), "{}", value);
  }
  text += '\n';
}

void write_csv(const std::string& path, const std::vector<FieldColumn>& fields,
               const CatalogProvenance& provenance, Progress& progress) {
  AtomicFile file(path);
  std::string text = csv_head(fields, provenance);
  for (const int type : types_of(fields)) {
    std::uint64_t rows = 0;
    for (const FieldColumn& field : fields)
      if (const auto values = field.values.find(type); values != field.values.end())
        rows = std::max<std::uint64_t>(rows, values->second->size());
    for (std::uint64_t row = 0; row < rows; ++row) {
      append_row(text, fields, type, row);
      if (text.size() < kFieldsFlushBytes) continue;
      progress.report("writing fields", double(row) / double(rows));
      file.write(text.data(), text.size());
      text.clear();
    }
  }
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace

void write_fields(const std::string& path, const std::vector<FieldColumn>& fields,
                  const CatalogProvenance& provenance, Progress& progress) {
  if (is_csv_catalog(path))
    write_csv(path, fields, provenance, progress);
  else
    write_hdf5(path, fields, provenance, progress);
}

}  // namespace haloscope::io
