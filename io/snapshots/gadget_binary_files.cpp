#include "io/snapshots/gadget_binary_files.h"

#include "core/error.h"
#include "io/bytes/numbered_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

GadgetBinaryHeader open_header(const std::string& path) {
  return read_gadget_binary_header(PositionedFile(path), path);
}

// The name that the user knows a file's snapshot by: that of the set, where it is one of several.
std::string snapshot_name(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  try {
    if (open_header(path).file_count == 1) return name;
  } catch (const BadFile&) {
    return name;  // told when it is opened
  }
  return set_name(name);
}

std::string pick_from_folder(const std::string& folder) {
  std::map<std::string, std::string> snapshots;
  for (const auto& path : files_in(folder)) {
    try {
      if (!looks_like_gadget_binary(PositionedFile(path))) continue;
    } catch (const Error&) {
      continue;  // somebody else's file
    }
    snapshots.emplace(snapshot_name(path), path);
  }
  return only_output(folder, snapshots, "snapshot", "the folder holds no binary Gadget snapshot");
}

GadgetBinaryFile open_one(const std::string& path) {
  const PositionedFile file(path);
  GadgetBinaryFile one;
  one.path = path;
  one.header = read_gadget_binary_header(file, path);
  one.blocks = list_gadget_blocks(file, path, one.header);
  if (one.header.format == 1) one.guessed = label_by_order(file, one);
  return one;
}

// A further file of a set: anything but a snapshot in its place is damage.
GadgetBinaryFile open_member(const std::string& path) {
  try {
    return open_one(path);
  } catch (const NotThisFormat& reason) {
    throw BadFile(reason.what(), {}, "replace this file of the set");
  }
}

void check_same_snapshot(const GadgetBinaryFile& first, const GadgetBinaryFile& other) {
  const GadgetBinaryHeader &a = first.header, &b = other.header;
  if (a.file_count == b.file_count && std::abs(a.time - b.time) <= 1e-9 * std::abs(a.time) &&
      a.count.size() == b.count.size() && a.swap == b.swap && a.format == b.format)
    return;
  throw BadFile(fmt::format("the file belongs to another snapshot than {}: Time {} in {} files of "
                            "format {}, not {} in {} of format {}",
                            fs::path(first.path).filename().string(), b.time, b.file_count,
                            b.format, a.time, a.file_count, a.format),
                other.path, "remove the file that an earlier run left behind");
}

// Another order of writing would make it wrong: a temperature is as positive as a length. Of a set,
// the first file with such a block speaks for all.
void say_guessed(GadgetBinaryFileSet& set) {
  std::map<std::size_t, std::string> label_by_block;
  std::set<std::string> seen;
  for (const auto& file : set.files)
    for (const auto& [label, block] : file.guessed)
      if (seen.insert(label).second) label_by_block.emplace(block, label);
  std::vector<std::string> taken;
  for (const auto& [block, label] : label_by_block) {
    const std::string one = fmt::format("block {} as {}", block, label);
    if (label == "HSML")
      set.assumed.push_back(
          {fmt::format("Format 1 names no blocks: took {}, the smoothing lengths.", one),
           {Fact::Smoothing}});
    else
      taken.push_back(one);
  }
  if (!taken.empty())
    set.assumed.push_back(
        fmt::format("Format 1 names no blocks: took {}.", fmt::join(taken, ", ")));
}

}  // namespace

GadgetBinaryFileSet find_gadget_binary_files(const std::string& path, bool allow_missing_files) {
  std::error_code ignored;
  const std::string start = fs::is_directory(path, ignored) ? pick_from_folder(path) : path;
  const GadgetBinaryFile opened = open_one(start);
  const SetMembers members = find_members(start, opened.header.file_count,
                                          {"snapshot", "base.0, base.1, …"}, allow_missing_files);
  GadgetBinaryFileSet set;
  set.missing = members.missing;
  set.assumed = members.assumed;
  for (const auto& member : members.there) {
    set.files.push_back(member == start ? opened : open_member(member));
    check_same_snapshot(opened, set.files.back());
  }
  say_guessed(set);
  return set;
}

}  // namespace haloscope::io
