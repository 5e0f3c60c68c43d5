#include "io/catalogs/catalog_reader.h"

#include "core/error.h"
#include "io/bytes/numbered_files.h"
#include "io/catalogs/subhalo_tab.h"
#include "io/catalogs/subhalo_tab_files.h"
#include "io/catalogs/text_catalogs.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/snapshot_reader.h"

#include <filesystem>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

// A kind by content, of a path that exists.
std::optional<std::string> kind_of(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  if (is_hdf5_file(path)) {
    const Hdf5Handle file = open_hdf5_file(path);
    if (!is_subhalo_tab(file.id())) return {};
    if (hdf5_exists(file.id(), "Pairs/birth"))
      return holds_voids(file.id()) ? "catalog of voids" : "catalog of peaks";
    return hdf5_exists(file.id(), "Tree/weight") ? "catalog of clusters"
                                                 : "fof_subhalo_tab halo catalog";
  }
  const TextHead head = read_text_head(path);
  if (is_rockstar(head)) return "Rockstar halo catalog";
  if (is_ahf(head)) return "AHF halo catalog";
  if (is_own_csv(head)) return "CSV halo catalog";
  return {};
}

// Text is none: any table of numbers could be one, and is read whole to tell.
bool is_snapshot(const std::string& path) {
  try {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored) && read_text_head(path).text) return false;
    OpenOptions options;
    options.allow_missing_files = options.allow_outside_files = true;
    open_snapshot(path, options);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

const std::vector<RegisteredCatalog>& registered_catalogs() {
  static const std::vector<RegisteredCatalog> readers{
      {"fof_subhalo_tab", open_subhalo_tab},
      {"Rockstar", open_rockstar},
      {"AHF", open_ahf},
      {"CSV", open_csv_catalog},
  };
  return readers;
}

HaloCatalog open_catalog(const std::string& path, const CatalogOptions& options,
                         Progress& progress) {
  const std::string complete = complete_path(path);
  std::error_code ignored;
  const bool folder = fs::is_directory(complete, ignored);
  const bool hdf5 = folder || is_hdf5_file(complete);
  std::string reason;
  for (const auto& reader : registered_catalogs()) {
    if (hdf5 != (reader.open == open_subhalo_tab)) continue;
    try {
      return reader.open(complete, options, progress);
    } catch (const NotThisFormat& refused) {
      reason = refused.what();
    }
  }
  if (is_snapshot(complete))
    throw NotThisFormat("this is a snapshot, not a halo catalog", complete,
                        "'haloscope halos' finds its halos, 'haloscope info' shows what it holds");
  if (hdf5) throw NotThisFormat(reason);
  throw Error("this is no halo catalog that haloscope knows", complete,
              "it reads fof_subhalo_tab HDF5, Rockstar lists, AHF halos and CSV with a row of "
              "names");
}

HaloCatalog open_catalog(const std::string& path, const CatalogOptions& options) {
  Progress progress;
  return open_catalog(path, options, progress);
}

std::optional<std::string> catalog_kind(const std::string& path) {
  try {
    return kind_of(complete_path(path));
  } catch (const std::exception&) {
    return {};
  }
}

bool folder_holds_catalog(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return false;
  try {
    find_subhalo_tab_files(path, {true});
  } catch (const NotThisFormat&) {
    return false;
  } catch (const std::exception&) {
    // Several, or a damaged one.
  }
  return true;
}

}  // namespace haloscope::io
