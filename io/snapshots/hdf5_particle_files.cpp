#include "io/snapshots/hdf5_particle_files.h"

#include "core/error.h"
#include "io/bytes/numbered_files.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_unwritten.h"
#include "io/hdf5/hdf5_virtual.h"
#include "io/snapshots/integer_coordinates.h"
#include "io/snapshots/swift_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

// A file of a newer HDF5 may hold datasets that this one does not understand.
[[noreturn]] void fail_unopened(const std::string& dataset, const std::string& path) {
  const std::string reason = hdf5_last_error();
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  throw BadFile(fmt::format("dataset {} is there, but HDF5 {}.{}.{} cannot open it{}", dataset,
                            major, minor, release, reason.empty() ? "" : " (" + reason + ")"),
                path, "if a newer HDF5 wrote the file, write it anew for older ones (h5repack)");
}

PositionDataset find_positions(hid_t file, int type, const std::string& path) {
  Hdf5Lock lock;
  PositionDataset positions;
  for (const std::string& name : {std::string("Coordinates"), kIntegerCoordinates}) {
    const std::string whole_name = particle_group(type) + "/" + name;
    if (!hdf5_exists(file, whole_name)) continue;
    const Hdf5Handle dataset = open_hdf5_dataset(file, whole_name);
    if (!dataset) fail_unopened(whole_name, path);
    positions.name = name;
    positions.layout = dataset_layout(dataset.id());
    positions.room_for_values =
        positions.layout.numeric && storage_can_hold_values(dataset.id(), positions.layout);
    positions.lack = unwritten_part(dataset.id(), positions.layout);
    break;
  }
  return positions;
}

// Headers that were copied from another file, or made for six types, forget some.
void find_uncounted(hid_t file, Hdf5ParticleFile& one) {
  for (const auto& group : group_names(file)) {
    const int type = particle_type_number(group);
    if (type < 0 || one.header.count(type) > 0) continue;
    const std::uint64_t rows = find_positions(file, type, one.path).layout.rows();
    if (rows > 0) one.uncounted[type] = rows;
  }
}

// Where the positions of a file come from, and what of them is not there. Its other fields are
// judged when they are read.
void judge_positions(hid_t file, const Hdf5Reach& reach, Hdf5ParticleFile& one) {
  OtherFiles others;
  for (auto& [type, positions] : one.positions) {
    if (positions.name.empty()) continue;
    const std::string name = particle_group(type) + "/" + positions.name;
    const Hdf5Handle dataset = open_hdf5_dataset(file, name);
    add_sources(dataset.id(), one.path, name, others);
    positions.missing = missing_rows(dataset.id(), one.path);
  }
  require_within(reach, others, one.path);
  one.shown = std::move(others.found);
}

// `reach`: null where the file is only looked at.
Hdf5ParticleFile open_one(const std::string& path, const Hdf5Reach* reach = nullptr) {
  const Hdf5Handle file = open_hdf5_file(path);
  Hdf5ParticleFile one;
  one.path = path;
  one.dialect = detect_hdf5_dialect(file.id());
  if (!facts_of(one.dialect).particle_groups) throw NotThisFormat(refusal(one.dialect), path);
  one.header = read_hdf5_header(file.id(), path, one.dialect);
  for (int type = 0; type < int(one.header.this_file.size()); ++type)
    if (one.header.count(type) > 0) one.positions[type] = find_positions(file.id(), type, path);
  find_uncounted(file.id(), one);
  if (reach) judge_positions(file.id(), *reach, one);
  return one;
}

// A further file of a set: anything but a snapshot in its place is damage.
Hdf5ParticleFile open_member(const std::string& path, const Hdf5Reach& reach) {
  try {
    return open_one(path, &reach);
  } catch (const NotThisFormat& reason) {
    throw BadFile(reason.what(), {}, "replace this file of the set");
  }
}

// The files that a virtual snapshot links to, in numeric order: reading them is quicker than
// through the links, and a missing one is seen rather than read as zeros.
std::vector<VirtualSource> linked_files(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  if (!is_swift_virtual(file.id())) return {};
  std::map<std::string, VirtualSource> by_name;
  for (const auto& group : group_names(file.id())) {
    if (particle_type_number(group) < 0) continue;
    const Hdf5Handle positions = open_hdf5_dataset(file.id(), group + "/Coordinates");
    if (!positions) continue;
    for (auto& source : virtual_sources(positions.id(), path))
      by_name.emplace(source.name, std::move(source));
  }
  std::vector<VirtualSource> sources;
  for (auto& [name, source] : by_name) sources.push_back(std::move(source));
  auto number = [](const VirtualSource& source) {
    const auto numbered = split_number(fs::path(source.name).filename().string());
    return numbered ? numbered->number : 0;
  };
  std::stable_sort(sources.begin(), sources.end(),
                   [&](const auto& a, const auto& b) { return number(a) < number(b); });
  return sources;
}

// A file and those of which it shows parts are one snapshot.
void drop_linked(std::map<std::string, std::string>& path_by_name) {
  if (path_by_name.size() < 2) return;
  std::set<std::string> linked;
  for (const auto& [name, path] : path_by_name)
    for (const auto& other : find_other_files(path).found) linked.insert(other.path);
  std::erase_if(path_by_name, [&](const auto& one) { return linked.count(one.second) > 0; });
}

// One file of the snapshot that a folder holds. Files that are not snapshots (catalogs, logs) may
// lie beside it; two snapshots leave the choice to the user.
std::string pick_from_folder(const std::string& folder, Assumptions& assumed) {
  std::map<std::string, std::map<std::uint64_t, std::string>> sets;
  for (const auto& path : files_in(folder)) {
    if (!is_hdf5_file(path)) continue;
    const std::string name = fs::path(path).filename().string();
    const auto numbered = split_number(name);
    sets[set_name(name)][numbered ? numbered->number : 0] = path;
  }
  std::map<std::string, std::string> snapshots;
  std::string refused;
  std::optional<BadFile> damaged;
  std::vector<std::string> left_out;
  for (const auto& [name, members] : sets) {
    for (const auto& [number, path] : members) {
      try {
        const Hdf5ParticleFile first = open_one(path);
        // Numbers may count the outputs of a run (cube.00128.hdf5) rather than the files of one.
        if (first.header.file_count > 1) {
          snapshots.emplace(name, path);
          break;
        }
        for (const auto& [other, beside] : members)
          if (other >= number) snapshots.emplace(fs::path(beside).filename().string(), beside);
        break;
      } catch (const NotThisFormat& reason) {
        // The folder is named already.
        refused = reason.what();
        if (refused.starts_with(path))
          refused.replace(0, path.size(), fs::path(path).filename().string());
        break;
      } catch (const BadFile& reason) {
        if (!damaged) damaged = reason;
        left_out.push_back(path);
      }
    }
  }
  if (snapshots.empty() && damaged) throw *damaged;
  drop_linked(snapshots);
  if (!left_out.empty())
    assumed.push_back(
        fmt::format("Damaged files of the folder are passed over: {}.", list_some(left_out)));
  return only_output(folder, snapshots, "snapshot",
                     refused.empty() ? "the folder holds no HDF5 file"
                                     : "the folder holds no snapshot (" + refused + ")");
}

void check_same_snapshot(const Hdf5ParticleFile& first, const Hdf5ParticleFile& other) {
  const double a = first.header.time.value_or(0), b = other.header.time.value_or(0);
  if (first.header.file_count == other.header.file_count && !(std::abs(a - b) > 1e-9 * std::abs(a)))
    return;
  throw BadFile(fmt::format("the file belongs to another snapshot than {}: Time {} in {} files, "
                            "not {} in {}",
                            fs::path(first.path).filename().string(), b, other.header.file_count, a,
                            first.header.file_count),
                other.path, "remove the file that an earlier run left behind");
}

// True where the files hold together what the virtual file promises.
bool same_counts(const Hdf5ParticleFiles& set, const GadgetHeader& whole) {
  for (int type = 0; type < int(whole.this_file.size()); ++type) {
    std::uint64_t sum = 0;
    for (const auto& file : set.files) sum += file.header.count(type);
    if (sum != whole.count(type)) return false;
  }
  return true;
}

// The set of a virtual snapshot; false where `path` is none, or its links are of another kind,
// which are then left to the library.
bool find_linked_files(const std::string& path, const Hdf5ParticleFile& opened,
                       bool allow_missing_files, Hdf5ParticleFiles& set) {
  if (opened.dialect != Hdf5Dialect::Swift) return false;
  const auto sources = linked_files(path);
  if (sources.empty()) return false;
  for (const auto& source : sources) {
    if (!source.there) {
      set.missing.push_back(source.path);
      continue;
    }
    set.files.push_back(open_member(source.path, set.reach));
  }
  if (set.missing.empty()) {
    if (same_counts(set, opened.header)) return true;
    set.files.clear();
    return false;
  }
  const std::string what = fmt::format(
      "the snapshot is virtual and {} {} missing to which it links ({} of {} files are there)",
      list_some(set.missing), set.missing.size() > 1 ? "are" : "is", set.files.size(),
      sources.size());
  if (!allow_missing_files || set.files.empty())
    throw MissingFiles(what, path, "put what is missing back beside this file");
  set.assumed.push_back("Files of the snapshot are left out: " + what + ".");
  // Totals are those of the whole.
  set.files.front().header.total = opened.header.total;
  return true;
}

std::vector<std::string> paths_of(const std::vector<OtherFile>& files) {
  std::vector<std::string> paths;
  for (const auto& file : files) paths.push_back(file.path);
  return paths;
}

// The rows of `count` that are not among the missing ones.
std::vector<RowRange> rest_of(std::uint64_t count, const std::vector<RowRange>& missing) {
  std::vector<RowRange> rest;
  std::uint64_t next = 0;
  for (const RowRange& range : missing) {
    if (next < std::min(range.begin, count)) rest.push_back({next, std::min(range.begin, count)});
    next = std::max(next, range.end);
  }
  if (next < count) rest.push_back({next, count});
  return rest;
}

// Without the rows whose positions are in no file that is there.
void leave_out_missing_rows(Hdf5ParticleFile& file) {
  for (auto& [type, positions] : file.positions) {
    const std::uint64_t count = file.header.count(type);
    if (positions.missing.rows.empty() || positions.layout.rows() != count) continue;
    auto present = rest_of(count, positions.missing.rows);
    std::uint64_t rows = 0;
    for (const RowRange& range : present) rows += range.end - range.begin;
    file.header.this_file[std::size_t(type)] = rows;
    file.lost[type] = count - rows;
    file.present[type] = std::move(present);
  }
}

// With what is missing left out, where that is allowed. Throws MissingFiles where nothing is left.
void leave_out_missing_rows(Hdf5ParticleFiles& set) {
  std::map<int, std::array<std::uint64_t, 2>> lost;  // of how many
  std::uint64_t left = 0, gone = 0;
  for (auto& file : set.files) {
    leave_out_missing_rows(file);
    for (int type = 0; type < int(file.header.this_file.size()); ++type)
      left += file.header.count(type);
    for (const auto& [type, rows] : file.lost) {
      gone += rows;
      lost[type][0] += rows;
    }
  }
  if (gone > 0 && left == 0)
    throw MissingFiles("all files are missing that hold the snapshot's particles", set.whole,
                       "put them back beside this file");
  for (auto& [type, counts] : lost) {
    for (const auto& file : set.files) counts[1] += file.stored(type);
    set.assumed.push_back(
        fmt::format("{} of {} {} particles are left out: the files that hold their positions are "
                    "missing.",
                    counts[0], counts[1], particle_name(set.dialect(), type)));
  }
}

void say_other_files(const OtherFiles& files, const Hdf5Reach& reach, Assumptions& assumed) {
  constexpr std::size_t kNamed = 8;
  std::vector<std::string> inside, outside;
  for (const auto& file : files.found)
    (reach.is_inside(file.path) ? inside : outside).push_back(file.path);
  if (!inside.empty())
    assumed.push_back(
        fmt::format("The snapshot shows parts of other files: {}.", list_some(inside, kNamed)));
  if (outside.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, outside.size()); ++i)
    names += (i ? ", " : "") + real_path(outside[i]);
  if (outside.size() > kNamed) names += fmt::format(" and {} more", outside.size() - kNamed);
  assumed.push_back(fmt::format(
      "The snapshot shows parts of files outside its folder, which is allowed: {}.", names));
}

// Those of further files of the set; the first was looked through whole.
void name_shown_files(Hdf5ParticleFiles& set) {
  OtherFiles more;
  for (const auto& file : set.files)
    for (const auto& other : file.shown) {
      const bool known =
          std::any_of(set.others.begin(), set.others.end(), [&](const std::string& one) {
            std::error_code ignored;  // HDF5 spells paths in its own way
            return fs::equivalent(one, other.path, ignored);
          });
      if (known) continue;
      set.others.push_back(other.path);
      more.found.push_back(other);
    }
  say_other_files(more, set.reach, set.assumed);
}

}  // namespace

OtherFiles check_other_files(const std::string& path, const Hdf5Reach& reach,
                             Assumptions& assumed) {
  OtherFiles others = find_other_files(path);
  require_within(reach, others, path);
  say_other_files(others, reach, assumed);
  return others;
}

void leave_out_missing_files(const std::string& path, const OtherFiles& others, bool allowed,
                             Assumptions& assumed) {
  if (others.missing.empty()) return;
  const std::string what = fmt::format(
      "{} {} missing to which the snapshot links ({})", list_some(paths_of(others.missing)),
      others.missing.size() > 1 ? "are" : "is", others.missing.front().object);
  if (!allowed) throw MissingFiles(what, path, "put what is missing back beside this file");
  assumed.push_back("What other files hold is left out: " + what + ".");
}

std::string particle_group(int type) {
  return "PartType" + std::to_string(type);
}

Hdf5ParticleFiles find_hdf5_particle_files(const std::string& path, const OpenOptions& options) {
  const bool allow_missing_files = options.allow_missing_files;
  std::error_code ignored;
  Assumptions assumed;
  const std::string start =
      fs::is_directory(path, ignored) ? pick_from_folder(path, assumed) : path;
  Hdf5ParticleFiles set;
  set.reach = Hdf5Reach(start, options.allow_outside_files);
  set.allow_missing = allow_missing_files;
  set.assumed = std::move(assumed);
  set.whole = start;
  const OtherFiles others = check_other_files(start, set.reach, set.assumed);
  set.others = paths_of(others.found);
  // Before it is asked what kind of snapshot this is: a part of that may be missing.
  const bool swift = is_swift_virtual(open_hdf5_file(start).id());
  if (!swift) leave_out_missing_files(start, others, allow_missing_files, set.assumed);
  Hdf5ParticleFile opened = open_one(start);
  if (find_linked_files(start, opened, allow_missing_files, set)) return set;
  if (swift) leave_out_missing_files(start, others, allow_missing_files, set.assumed);
  judge_positions(open_hdf5_file(start).id(), set.reach, opened);
  const std::uint64_t count = opened.header.file_count;
  if (count > kMostFiles)
    throw BadFile(fmt::format("NumFilesPerSnapshot in /Header is {}", count), start);
  SetMembers members =
      find_members(start, count, {"snapshot", "base.0.hdf5, base.1.hdf5, …"}, allow_missing_files);
  set.missing = std::move(members.missing);
  set.assumed.insert(set.assumed.end(), members.assumed.begin(), members.assumed.end());
  for (const auto& member : members.there) {
    set.files.push_back(member == start ? opened : open_member(member, set.reach));
    check_same_snapshot(opened, set.files.back());
  }
  if (set.files.size() > 1) set.whole = set.files.front().path;
  name_shown_files(set);
  if (allow_missing_files) leave_out_missing_rows(set);
  return set;
}

}  // namespace haloscope::io
