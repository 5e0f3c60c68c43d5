#include "io/catalogs/subhalo_tab_files.h"

#include "core/error.h"
#include "io/bytes/numbered_files.h"
#include "io/catalogs/subhalo_tab.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_other_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

SubhaloTabFile open_member(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  if (!is_subhalo_tab(file.id())) throw NotThisFormat("this HDF5 file is not a halo catalog", path);
  require_within(Hdf5Reach(path, false), find_other_files(path), path);
  return {path, read_subhalo_tab_header(file.id(), path)};
}

std::string pick_from_folder(const std::string& folder) {
  std::map<std::string, std::string> catalogs;
  for (const auto& path : files_in(folder)) {
    const std::string name = set_name(fs::path(path).filename().string());
    if (catalogs.count(name) || !is_hdf5_file(path)) continue;
    if (is_subhalo_tab(open_hdf5_file(path).id())) catalogs[name] = path;
  }
  return only_output(folder, catalogs, "halo catalog", "the folder holds no HDF5 halo catalog");
}

void check_same_output(const SubhaloTabFile& first, const SubhaloTabFile& other) {
  const auto &a = first.header, &b = other.header;
  if (a.file_count == b.file_count && std::abs(a.time - b.time) <= 1e-9 * std::abs(a.time) &&
      a.groups_total == b.groups_total)
    return;
  throw BadFile(fmt::format("the file belongs to another output than {}: Time {} with {} groups in "
                            "{} files, not {} with {} in {}",
                            fs::path(first.path).filename().string(), b.time, b.groups_total,
                            b.file_count, a.time, a.groups_total, a.file_count),
                other.path, "remove the file that an earlier run left behind");
}

}  // namespace

SubhaloTabHeader read_subhalo_tab_header(hid_t file, const std::string& path) {
  const Hdf5Handle group = open_hdf5_group(file, "Header");
  const auto count = [&](std::initializer_list<const char*> names) -> std::optional<std::uint64_t> {
    for (const char* name : names)
      if (const auto value = count_attribute(group.id(), name)) return value->front();
    return {};
  };
  SubhaloTabHeader header;
  // AREPO says Nsubgroups where GADGET-4 says Nsubhalos.
  const auto groups = count({"Ngroups_ThisFile"});
  const auto groups_total = count({"Ngroups_Total"});
  const auto subhalos = count({"Nsubhalos_ThisFile", "Nsubgroups_ThisFile"});
  const auto subhalos_total = count({"Nsubhalos_Total", "Nsubgroups_Total"});
  if (!groups || !groups_total)
    throw BadFile("/Header lacks Ngroups_ThisFile or Ngroups_Total", path,
                  "the catalog is incomplete: copy it again");
  header.groups = *groups;
  header.groups_total = *groups_total;
  header.subhalos = subhalos.value_or(0);
  header.subhalos_total = subhalos_total.value_or(header.subhalos);
  header.file_count =
      std::max<std::uint64_t>(1, count({"NumFiles", "NumFilesPerSnapshot"}).value_or(1));
  if (header.file_count > kMostFiles)
    throw BadFile(fmt::format("NumFiles in /Header is {}", header.file_count), path);
  header.gadget4 =
      count({"Nsubhalos_ThisFile"}).has_value() || hdf5_exists(file, "Group/GroupOffsetType");
  header.time = scalar_attribute(group.id(), "Time").value_or(0);
  return header;
}

SubhaloTabSet find_subhalo_tab_files(const std::string& path, const CatalogOptions& options) {
  std::error_code ignored;
  const std::string start = fs::is_directory(path, ignored) ? pick_from_folder(path) : path;
  const SubhaloTabFile first = open_member(start);
  const SetMembers members =
      find_members(start, first.header.file_count, {"catalog", "base.0.hdf5, base.1.hdf5, …"},
                   options.allow_missing_files);
  SubhaloTabSet set;
  set.assumed = sentences_of(members.assumed);
  for (const auto& member : members.there) {
    try {
      set.files.push_back(member == start ? first : open_member(member));
    } catch (const NotThisFormat& reason) {
      throw BadFile(reason.what(), {}, "replace this file of the set");
    }
    check_same_output(first, set.files.back());
  }
  return set;
}

}  // namespace haloscope::io
