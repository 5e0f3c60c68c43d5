#include "io/hdf5/hdf5_other_files.h"

#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_virtual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <utility>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepestGroups = 6;          // one more than fields are looked for
constexpr int kMostGroups = 1000;          // of one file
constexpr int kDeepestSources = 8;         // virtual datasets of virtual datasets
constexpr std::size_t kMostLinked = 1000;  // files that are looked through

fs::path followed(const fs::path& path) {
  std::error_code failed;
  fs::path full = fs::weakly_canonical(fs::absolute(path, failed), failed);
  return failed ? fs::absolute(path).lexically_normal() : full;
}

void add_once(std::vector<OtherFile>& files, OtherFile file) {
  const bool known = std::any_of(files.begin(), files.end(),
                                 [&](const OtherFile& one) { return one.path == file.path; });
  if (!known) files.push_back(std::move(file));
}

struct Link {
  std::string name;
  H5L_type_t type;
};

std::vector<Link> links_of(hid_t group) {
  std::vector<Link> links;
  hsize_t position = 0;
  const auto take = [](hid_t, const char* name, const H5L_info_t* info, void* out) -> herr_t {
    static_cast<std::vector<Link>*>(out)->push_back({name, info->type});
    return 0;
  };
  H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &position, take, &links);
  return links;
}

// The file and the object of an external link; both empty where it cannot be read.
std::pair<std::string, std::string> external_target(hid_t group, const std::string& name) {
  H5L_info_t info;
  if (H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT) < 0) return {};
  std::vector<char> value(info.u.val_size + 1, '\0');
  const char *file = nullptr, *object = nullptr;
  unsigned flags = 0;
  if (H5Lget_val(group, name.c_str(), value.data(), info.u.val_size, H5P_DEFAULT) < 0 ||
      H5Lunpack_elink_val(value.data(), info.u.val_size, &flags, &file, &object) < 0)
    return {};
  return {file, object};
}

// Looks through one file, and those that it links to.
class Survey {
 public:
  explicit Survey(OtherFiles& files) : files_(files) {}

  void file(const std::string& path) {
    if (!seen_.insert(followed(path).string()).second || seen_.size() > kMostLinked) return;
    const Hdf5Handle opened = open_hdf5_file(path);
    groups_ = 0;
    group(opened.id(), path, "", kDeepestGroups);
  }

 private:
  void group(hid_t parent, const std::string& path, const std::string& prefix, int depth) {
    if (++groups_ > kMostGroups) return;
    for (const Link& link : links_of(parent)) {
      const std::string object = prefix + link.name;
      if (link.type == H5L_TYPE_EXTERNAL) {
        external(parent, link.name, path, object);
        continue;
      }
      // A soft link leads to what is met under its own name, or is judged when it is read.
      if (link.type != H5L_TYPE_HARD) continue;
      const Hdf5Handle held(H5Oopen(parent, link.name.c_str(), H5P_DEFAULT), H5Oclose);
      if (!held) continue;
      const H5I_type_t kind = H5Iget_type(held.id());
      if (kind == H5I_GROUP && depth > 0) group(held.id(), path, object + "/", depth - 1);
      if (kind == H5I_DATASET) dataset(held.id(), path, object);
    }
  }

  void external(hid_t parent, const std::string& name, const std::string& path,
                const std::string& object) {
    const auto [file_name, target] = external_target(parent, name);
    if (file_name.empty()) return;
    const std::string other = find_other_file(path, file_name, "HDF5_EXT_PREFIX");
    std::error_code ignored;
    if (!fs::exists(other, ignored)) {
      add_once(files_.missing, {other, object});
      return;
    }
    add_once(files_.found, {other, object});
    const Hdf5Handle opened =
        fs::is_regular_file(other, ignored) ? open_if_hdf5(other) : Hdf5Handle();
    if (!opened || (target != "/" && !hdf5_exists(opened.id(), target)))
      add_once(files_.missing, {other, object});
    if (!opened) return;
    const int groups = groups_;
    file(other);
    groups_ = groups;
  }

  void dataset(hid_t held, const std::string& path, const std::string& object) {
    if (has_raw_storage(held)) files_.raw.push_back({path, object});
    for (const auto& named : virtual_source_names(held)) {
      // Hundreds of fields have the same sources.
      if (named.name == "." || !sources_.insert({path, named.name}).second) continue;
      for (const auto& source : files_of_source(named, path))
        add_once(source.there ? files_.found : files_.missing, {source.path, object});
    }
  }

  OtherFiles& files_;
  std::set<std::string> seen_;
  std::set<std::pair<std::string, std::string>> sources_;  // by file and name
  int groups_ = 0;
};

void add_sources_to(hid_t dataset, const std::string& path, const std::string& object, int depth,
                    OtherFiles& files) {
  if (depth > kDeepestSources)
    throw BadFile(fmt::format("dataset {} shows one that shows another, and so on", object), path,
                  "write it anew without so many virtual datasets");
  std::uint64_t user_block = 0;
  const std::string own = file_of(dataset, user_block);
  if (followed(own) != followed(path)) add_once(files.found, {own, object});
  if (has_raw_storage(dataset)) files.raw.push_back({own, object});
  if (!is_virtual(dataset)) return;
  for (const auto& source : virtual_sources(dataset, own, true)) {
    if (source.name != ".")
      add_once(source.there ? files.found : files.missing, {source.path, object});
    if (!source.there || source.dataset.empty()) continue;
    const Hdf5Handle other = open_if_hdf5(source.path);
    const Hdf5Handle held = other ? open_hdf5_dataset(other.id(), source.dataset) : Hdf5Handle();
    if (held) add_sources_to(held.id(), source.path, object, depth + 1, files);
  }
}

}  // namespace

std::string real_path(const std::string& path) {
  return followed(path).string();
}

Hdf5Reach::Hdf5Reach(const std::string& named, bool everywhere) : everywhere_(everywhere) {
  std::error_code ignored;
  if (fs::is_directory(named, ignored)) {
    roots_ = {followed(named)};
    return;
  }
  const fs::path folder = fs::path(named).parent_path();
  roots_ = {followed(folder.empty() ? fs::path(".") : folder), followed(named).parent_path()};
}

bool Hdf5Reach::is_inside(const std::string& path) const {
  const fs::path full = followed(path);
  return std::any_of(roots_.begin(), roots_.end(), [&](const fs::path& root) {
    return std::mismatch(root.begin(), root.end(), full.begin(), full.end()).first == root.end();
  });
}

std::string find_other_file(const std::string& from, const std::string& name,
                            const char* prefix_variable) {
  const fs::path given(name);
  std::vector<fs::path> places;
  if (given.is_absolute()) places.push_back(given);
  const fs::path part = given.is_absolute() ? given.filename() : given;
  if (const char* prefixes = std::getenv(prefix_variable)) {
    std::istringstream list(prefixes);
    for (std::string prefix; std::getline(list, prefix, ':');)
      if (!prefix.empty()) places.push_back(prefix / part);
  }
  const fs::path beside = fs::path(from).parent_path() / part;
  places.push_back(beside);
  places.push_back(part);
  places.push_back(followed(from).parent_path() / part);
  std::error_code ignored;
  for (const auto& place : places)
    if (fs::is_regular_file(place, ignored) && is_hdf5_file(place.string())) return place.string();
  for (const auto& place : places)
    if (fs::exists(place, ignored)) return place.string();
  return beside.string();
}

bool leads_to_plain_file(hid_t group, const std::string& link) {
  const Hdf5Lock lock;
  H5L_info_t info;
  if (H5Lget_info(group, link.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_EXTERNAL)
    return true;
  std::uint64_t user_block = 0;
  const std::string name = external_target(group, link).first;
  std::error_code ignored;
  return !name.empty() &&
         fs::is_regular_file(find_other_file(file_of(group, user_block), name, "HDF5_EXT_PREFIX"),
                             ignored);
}

OtherFiles find_other_files(const std::string& path) {
  const Hdf5Lock lock;
  OtherFiles files;
  Survey(files).file(path);
  return files;
}

void add_sources(hid_t dataset, const std::string& path, const std::string& object,
                 OtherFiles& files) {
  const Hdf5Lock lock;
  add_sources_to(dataset, path, object, 0, files);
}

void require_within(const Hdf5Reach& reach, const OtherFiles& files, const std::string& path) {
  if (!files.raw.empty())
    throw BadFile(
        fmt::format("dataset {} has its bytes in a file that is not HDF5, which haloscope "
                    "does not read",
                    files.raw.front().object),
        files.raw.front().path, "write the dataset into the file itself");
  for (const auto& file : files.found)
    if (!reach.holds(file.path))
      throw OutsideFiles(fmt::format("{} leads to {}, outside the folder of this file", file.object,
                                     real_path(file.path)),
                         path, "copy that file into the folder");
}

bool has_raw_storage(hid_t dataset) {
  const Hdf5Lock lock;
  const Hdf5Handle plist(H5Dget_create_plist(dataset), H5Pclose);
  return plist && H5Pget_external_count(plist.id()) > 0;
}

}  // namespace haloscope::io
