#include "io/catalogs/write_catalog.h"

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/text_values.h"
#include "io/catalogs/text_catalogs.h"
#include "io/catalogs/write_csv.h"
#include "io/catalogs/write_fields.h"
#include "io/catalogs/write_fof_subhalo.h"
#include "io/hdf5/hdf5_handle.h"

#include <filesystem>

namespace haloscope::io {

namespace {

enum class CatalogFormat { FofSubhalo, Csv };

CatalogFormat format_of(const std::string& path) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  if (extension == ".csv") return CatalogFormat::Csv;
  for (const char* hdf5 : {".hdf5", ".h5", ".hdf"})
    if (extension == hdf5) return CatalogFormat::FofSubhalo;
  throw Error("the name does not tell the format of the halo catalog", path,
              "end it in .hdf5 or .csv");
}

bool is_own(const std::string& path, CatalogFormat format) {
  if (format == CatalogFormat::Csv) {
    const TextHead head = read_text_head(path);
    if (is_own_csv(head)) return true;
    for (const char* mark : {kFieldsMark, kRowsMark})
      if (head.text && !head.comments.empty() &&
          head.comments.front().find(mark) != std::string::npos)
        return true;
    return false;
  }
  const Hdf5Lock lock;
  const Hdf5Handle file = open_if_hdf5(path);
  return file && open_hdf5_group(file.id(), "Provenance") &&
         (open_hdf5_group(file.id(), "Group") || open_hdf5_group(file.id(), kFieldsGroup));
}

}  // namespace

void require_catalog_output(const std::string& path) {
  format_of(path);
  require_writable(path);
}

bool is_csv_catalog(const std::string& path) {
  return format_of(path) == CatalogFormat::Csv;
}

bool is_replaceable_catalog(const std::string& path) {
  std::error_code failed;
  return !std::filesystem::is_regular_file(path, failed) ||
         std::filesystem::file_size(path, failed) == 0 || is_own(path, format_of(path));
}

void write_catalog(const std::string& path, const HaloCatalog& catalog, const HaloMembers& members,
                   const CatalogProvenance& provenance, Progress& progress,
                   const std::vector<PlainDataset>& beside, int files) {
  if (format_of(path) == CatalogFormat::Csv)
    write_csv(path, catalog, provenance, progress);
  else
    write_fof_subhalo(path, catalog, members, provenance, progress, beside, files);
}

void write_catalog(const std::string& path, const HaloCatalog& catalog, const HaloMembers& members,
                   const CatalogProvenance& provenance) {
  Progress progress;
  write_catalog(path, catalog, members, provenance, progress);
}

}  // namespace haloscope::io
