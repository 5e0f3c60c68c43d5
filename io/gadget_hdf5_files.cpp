#include "io/gadget_hdf5_files.h"

#include "core/error.h"
#include "io/hdf5_handle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

// "snap_2332.7.hdf5" → "snap_2332.", 7, ".hdf5"; the last dotted part made of digits counts.
struct NumberedName {
  std::string before;
  std::uint64_t number = 0;
  std::string after;

  std::string with(std::uint64_t n) const { return before + std::to_string(n) + after; }
};

std::optional<NumberedName> split_number(const std::string& name) {
  std::size_t end = name.size();
  while (end > 0) {
    const std::size_t dot = name.rfind('.', end - 1);
    if (dot == std::string::npos) return {};
    const std::string part = name.substr(dot + 1, end - dot - 1);
    const bool digits = !part.empty() && part.size() < 10 &&
                        part.find_first_not_of("0123456789") == std::string::npos;
    if (digits) return NumberedName{name.substr(0, dot + 1), std::stoull(part), name.substr(end)};
    end = dot;
  }
  return {};
}

struct Opened {
  Hdf5Dialect dialect;
  GadgetHeader header;
};

Opened open_one(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Dialect dialect = detect_hdf5_dialect(file.id());
  if (!is_gadget_like(dialect)) throw NotThisFormat(refusal(dialect), path);
  return {dialect, read_gadget_header(file.id(), path, dialect)};
}

// A further file of a set: anything but a snapshot in its place is damage.
Opened open_member(const std::string& path) {
  try {
    return open_one(path);
  } catch (const NotThisFormat& reason) {
    throw BadFile(reason.what(), {}, "replace this file of the set");
  }
}

// One file of the snapshot that a folder holds. Files that are not snapshots (catalogs, logs) may
// lie beside it; two snapshots leave the choice to the user.
std::string pick_from_folder(const std::string& folder) {
  std::map<std::string, std::map<std::uint64_t, std::string>> sets;
  std::error_code ignored, failed;
  const fs::directory_iterator entries(folder, failed);
  if (failed)
    throw Error("the folder cannot be read: " + failed.message(), folder, "check its permissions");
  for (const auto& entry : entries) {
    if (!entry.is_regular_file(ignored)) continue;
    const std::string path = entry.path().string();
    {
      Hdf5Lock lock;
      if (H5Fis_hdf5(path.c_str()) <= 0) continue;
    }
    const std::string name = entry.path().filename().string();
    if (const auto numbered = split_number(name))
      sets[numbered->before + "N" + numbered->after][numbered->number] = path;
    else
      sets[name][0] = path;
  }
  std::vector<std::string> snapshots, names;
  std::string refused;
  for (const auto& [name, members] : sets) {
    try {
      open_one(members.begin()->second);
      snapshots.push_back(members.begin()->second);
      names.push_back(name);
    } catch (const NotThisFormat& reason) {
      refused = reason.what();
    }
  }
  if (snapshots.size() > 1)
    throw Error(
        "the folder holds several snapshots (" + fmt::format("{}", fmt::join(names, ", ")) + ")",
        folder, "name one of the files");
  if (snapshots.empty())
    throw NotThisFormat(refused.empty() ? "the folder holds no HDF5 file"
                                        : "the folder holds no snapshot: " + refused,
                        folder);
  return snapshots.front();
}

std::vector<std::string> member_paths(const std::string& path, std::uint64_t count) {
  const fs::path as_path(path);
  const auto numbered = split_number(as_path.filename().string());
  std::vector<std::string> members;
  if (!numbered || numbered->number >= count) return members;
  for (std::uint64_t i = 0; i < count; ++i)
    members.push_back((as_path.parent_path() / numbered->with(i)).string());
  return members;
}

std::string list_some(const std::vector<std::string>& paths) {
  std::string text;
  const std::size_t shown = std::min<std::size_t>(paths.size(), 3);
  for (std::size_t i = 0; i < shown; ++i)
    text += (i ? ", " : "") + fs::path(paths[i]).filename().string();
  if (paths.size() > shown) text += fmt::format(" and {} more", paths.size() - shown);
  return text;
}

void check_same_snapshot(const GadgetHeader& first, const std::string& first_path,
                         const GadgetHeader& other, const std::string& path) {
  const double a = first.time.value_or(0), b = other.time.value_or(0);
  if (first.file_count == other.file_count && std::abs(a - b) <= 1e-9 * std::abs(a)) return;
  throw BadFile(fmt::format("the file belongs to another snapshot than {}: Time {} in {} files, "
                            "not {} in {}",
                            fs::path(first_path).filename().string(), b, other.file_count, a,
                            first.file_count),
                path, "remove the file that an earlier run left behind");
}

}  // namespace

GadgetFileSet find_gadget_files(const std::string& path, bool allow_missing_files) {
  std::error_code ignored;
  const std::string start = fs::is_directory(path, ignored) ? pick_from_folder(path) : path;
  const Opened opened = open_one(start);
  GadgetFileSet set;
  set.dialect = opened.dialect;
  std::vector<std::string> members{start};
  if (opened.header.file_count > 1) {
    const std::uint64_t count = opened.header.file_count;
    if (count > 1000000)
      throw BadFile(fmt::format("NumFilesPerSnapshot in /Header is {}", count), start);
    members = member_paths(start, count);
    if (members.empty()) {
      const std::string what = fmt::format(
          "this is one of the {} files of a snapshot, but its name lacks the number that would "
          "lead to the others",
          count);
      if (!allow_missing_files)
        throw BadFile(what, start, "give the files back their names (base.0.hdf5, base.1.hdf5, …)");
      set.assumed.push_back("Only one of the snapshot's " + std::to_string(count) +
                            " files is read: its name does not lead to the others.");
      members = {start};
    }
  }
  for (const auto& member : members) {
    if (!fs::exists(member, ignored)) {
      set.missing.push_back(member);
      continue;
    }
    Opened one = member == start ? opened : open_member(member);
    check_same_snapshot(opened.header, start, one.header, member);
    set.files.push_back(member);
    set.headers.push_back(std::move(one.header));
  }
  if (!set.missing.empty()) {
    const bool several = set.missing.size() > 1;
    const std::string what = fmt::format("{} {} missing ({} of the snapshot's {} files are there)",
                                         list_some(set.missing), several ? "are" : "is",
                                         set.files.size(), members.size());
    if (!allow_missing_files)
      throw BadFile(what, fs::path(start).parent_path().string(), "fetch what is missing");
    set.assumed.push_back("Files of the snapshot are left out: " + what + ".");
  }
  return set;
}

}  // namespace haloscope::io
