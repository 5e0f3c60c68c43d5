#include "analysis/selection/selection_ids.h"

#include "analysis/selection/filter_options.h"
#include "analysis/selection/number_list.h"
#include "analysis/snapshot/choose_types.h"
#include "analysis/snapshot/open_snapshot.h"
#include "core/array.h"
#include "core/error.h"
#include "io/loading/particle_ids.h"
#include "io/loading/select_rows.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

namespace haloscope::analysis {

namespace {

// What place and value say.
void take_place(const SelectionChoice& chosen, ChosenParticles& particles) {
  if (chosen.kind == SelectionKind::Box)
    particles.selection.region = io::Region{chosen.low, chosen.high};
  if (chosen.kind == SelectionKind::Sphere)
    particles.filter.sphere = io::Sphere{chosen.center, chosen.radius, chosen.inner.value_or(0)};
  if (chosen.kind == SelectionKind::Outline) particles.filter.outline = chosen.outline;
  if (chosen.kind == SelectionKind::Value)
    particles.filter.values = {{chosen.field, chosen.limits[0], chosen.limits[1]}};
  if (chosen.kind == SelectionKind::Value && chosen.second_limits)
    particles.filter.values.push_back(
        {chosen.second_field, (*chosen.second_limits)[0], (*chosen.second_limits)[1]});
}

std::shared_ptr<const Finding> finding_of(const SelectionRequest& request, Progress& progress) {
  if (request.finding) return request.finding;
  FindRequest asked;
  asked.device = request.device;
  return find_in(request.made_in, request.said, request.chosen.finder, request.chosen.search, asked,
                 progress);
}

// The catalog names members of types without IDs by their rows, which no other column has.
FollowedIds listed_members(const HaloMembers& members, std::uint64_t piece,
                           const SnapshotInfo& info) {
  FollowedIds ids;
  std::vector<int> types;
  for (const auto& [type, all] : members.ids) {
    const auto first = members.offset.at(type).at(std::size_t(piece));
    const auto length = members.length.at(type).at(std::size_t(piece));
    if (length == 0) continue;
    types.push_back(type);
    if (!io::id_field(info.types.at(type))) {
      ids.said.push_back(fmt::format("{} has no particle IDs: its {} members are left out.",
                                     info.types.at(type).name, length));
      continue;
    }
    require_host_memory(length * sizeof(std::uint64_t), "the particle IDs");
    const auto begin = all.begin() + std::ptrdiff_t(first);
    ids.lists[type] =
        io::id_list(std::vector<std::uint64_t>(begin, begin + std::ptrdiff_t(length)));
  }
  if (!types.empty()) require_ids(info, types);
  return ids;
}

// Of the rows whose value, of one per row and type, is wanted.
template <class T, class F>
FollowedIds ids_where(const std::map<int, std::vector<T>>& values, const F& wanted,
                      const io::SnapshotReader& reader, Progress& progress) {
  std::map<int, io::RowMap> rows;
  std::vector<int> types;
  for (const auto& [type, of] : values) {
    io::RowMarks marks(of.size());
    {
      io::RowMarks::Writer writer(marks);
      for (std::size_t row = 0; row < of.size(); ++row)
        if (wanted(of[row])) writer.set(row);
    }
    io::RowMap kept(of.size());
    kept.keep_marked(std::move(marks));
    if (kept.size() == 0) continue;
    types.push_back(type);
    rows.emplace(type, std::move(kept));
  }
  if (types.empty()) return {};
  require_ids(reader.info(), types);
  return ids_of_rows(reader, rows, progress);
}

FollowedIds members_of(const SelectionRequest& request, const Finding& finding,
                       const io::SnapshotReader& reader, Progress& progress) {
  const std::uint64_t number = request.chosen.piece;
  const FinderWords& words = require_finder(request.chosen.finder).words();
  if (!words.has_pieces())
    throw Error(fmt::format("what {} finds has no members", request.chosen.finder),
                request.made_in);
  if (number >= finding.pieces)
    throw Error(
        fmt::format("there is no {} {}: {} were found", words.piece, number, finding.pieces),
        request.made_in,
        fmt::format("select one of them, or find {} by other options", words.pieces));
  if (!finding.members.ids.empty()) return listed_members(finding.members, number, reader.info());
  if (!finding.labels)
    throw Error(fmt::format("what {} finds has no members", request.chosen.finder),
                request.made_in);
  return ids_where(
      finding.labels->of, [=](std::uint32_t label) { return label == number; }, reader, progress);
}

// Of `count` pieces, or branches, whether the list has them.
std::vector<bool> are_listed(const SelectionRequest& request, std::uint64_t count,
                             const std::string& word) {
  // Asked first: the list of a file may have four billion numbers.
  if (const std::uint64_t most = most_in(request.chosen.numbers); most >= count)
    throw Error(fmt::format("there is no {} {}: there are {}", word, most, count), request.made_in,
                "draw around those that are there");
  std::vector<bool> listed(std::size_t(count), false);
  for (const std::uint64_t number : numbers_in(request.chosen.numbers))
    listed[std::size_t(number)] = true;
  return listed;
}

// Of each piece, whether it is listed, or its property lies in the range.
std::vector<bool> chosen_pieces(const SelectionRequest& request, const Finding& finding) {
  const SelectionChoice& chosen = request.chosen;
  if (!chosen.numbers.empty())
    return are_listed(request, finding.pieces, require_finder(chosen.finder).words().piece);
  for (const PieceColumn& column : finding.columns) {
    if (column.title != chosen.field) continue;
    std::vector<bool> within;
    for (const double value : column.values)
      within.push_back(value >= chosen.limits[0] && value < chosen.limits[1]);
    return within;
  }
  throw Error(fmt::format("the {} have no property '{}'",
                          require_finder(chosen.finder).words().pieces, chosen.field),
              request.made_in);
}

// The IDs of all that are chosen, which catalogs list piece by piece.
FollowedIds listed_members_of(const HaloMembers& members, const std::vector<bool>& chosen,
                              const SnapshotInfo& info) {
  FollowedIds all;
  std::map<int, std::vector<std::uint64_t>> ids;
  for (std::size_t piece = 0; piece < chosen.size(); ++piece) {
    if (!chosen[piece]) continue;
    FollowedIds one = listed_members(members, piece, info);
    for (const auto& [type, list] : one.lists)
      ids[type].insert(ids[type].end(), list->begin(), list->end());
    if (all.said.empty()) all.said = std::move(one.said);
  }
  for (auto& [type, list] : ids) all.lists[type] = io::id_list(std::move(list));
  return all;
}

// By the labels: of halos too, whose lists of IDs are one per halo.
FollowedIds members_of_pieces(const SelectionRequest& request, const Finding& finding,
                              const io::SnapshotReader& reader, Progress& progress) {
  const std::vector<bool> within = chosen_pieces(request, finding);
  if (!finding.labels && !finding.members.ids.empty())
    return listed_members_of(finding.members, within, reader.info());
  if (!finding.labels)
    throw Error(fmt::format("what {} finds has no members", request.chosen.finder),
                request.made_in);
  return ids_where(
      finding.labels->of,
      [&](std::uint32_t label) { return label != Labels::kNone && within[label]; }, reader,
      progress);
}

// Of each branch, whether it is one of those listed or lies in one.
std::vector<bool> within_branches(const SelectionRequest& request, const FoundBranches& branches) {
  std::vector<bool> within = are_listed(request, branches.count(), "branch");
  // Parents stand before their children.
  for (std::size_t b = 0; b < within.size(); ++b) {
    const std::uint32_t parent = branches.parent[b];
    if (parent != Labels::kNone && within[parent]) within[b] = true;
  }
  return within;
}

FollowedIds members_of_branch(const SelectionRequest& request, const Finding& finding,
                              const io::SnapshotReader& reader, Progress& progress) {
  const std::uint64_t number = request.chosen.piece;
  if (!finding.branches)
    throw Error(fmt::format("what {} found has no branches", request.chosen.finder),
                request.made_in);
  if (number >= finding.branches->count() && request.chosen.numbers.empty())
    throw Error(
        fmt::format("there is no branch {}: there are {}", number, finding.branches->count()),
        request.made_in, "select one of them");
  const std::vector<bool> within = request.chosen.numbers.empty()
                                       ? finding.branches->within(number)
                                       : within_branches(request, *finding.branches);
  return ids_where(
      finding.branches->innermost.of,
      [&](std::uint32_t branch) { return branch != Labels::kNone && within[branch]; }, reader,
      progress);
}

FollowedIds ids_of_values(const SelectionRequest& request, const Finding& finding,
                          const io::SnapshotReader& reader, Progress& progress) {
  const SelectionChoice& chosen = request.chosen;
  const auto field = finding.fields.find(chosen.field);
  if (field == finding.fields.end())
    throw Error(fmt::format("{} found no field '{}'", chosen.finder, chosen.field),
                request.made_in);
  // NaN lies in no range.
  const auto in_range = [&](float value) {
    return double(value) >= chosen.limits[0] && double(value) < chosen.limits[1];
  };
  return ids_where(field->second.values, in_range, reader, progress);
}

FollowedIds found_ids(const SelectionRequest& request, Progress& progress) {
  const auto finding = finding_of(request, progress);
  const auto reader = open_snapshot(request.made_in, request.said);
  if (request.chosen.kind == SelectionKind::Piece)
    return members_of(request, *finding, *reader, progress);
  if (request.chosen.kind == SelectionKind::Pieces)
    return members_of_pieces(request, *finding, *reader, progress);
  if (request.chosen.kind == SelectionKind::Branch)
    return members_of_branch(request, *finding, *reader, progress);
  return ids_of_values(request, *finding, *reader, progress);
}

FollowedIds ids_at_home(const SelectionRequest& request, Progress& progress) {
  if (request.chosen.of_finding()) return found_ids(request, progress);
  const auto reader = open_snapshot(request.made_in, request.said);
  const SnapshotInfo& info = reader->info();
  const std::vector<int> types = choose_types(info, {});
  require_ids(info, types);
  ChosenParticles home;
  take_place(request.chosen, home);
  home.filter = named_filter(info, types, home.filter);
  const io::SelectedRows selected =
      io::find_rows(*reader, types, home.selection, home.filter, progress);
  return ids_of_rows(*reader, selected.rows, progress);
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

[[noreturn]] void refuse_elsewhere(const SelectionRequest& request) {
  const FinderWords& words = require_finder(request.chosen.finder).words();
  const bool branch = request.chosen.kind == SelectionKind::Branch;
  const bool piece = branch || request.chosen.kind == SelectionKind::Piece;
  const std::string what =
      !request.chosen.numbers.empty() ? "what was drawn around"
      : piece ? fmt::format("{} {}", branch ? "branch" : words.piece, request.chosen.piece)
              : request.chosen.field;
  throw Error(fmt::format("{} was found in {}, which is another snapshot", what,
                          file_name(request.made_in)),
              request.snapshot,
              fmt::format("follow_ids on finds its {} here; or find {} anew",
                          piece ? "members" : "particles", words.found()));
}

}  // namespace

ChosenParticles chosen_particles(const SelectionRequest& request, Progress& progress) {
  const bool found = request.chosen.of_finding();
  const bool elsewhere = request.snapshot != request.made_in;
  if (found && elsewhere && !request.chosen.follow_ids) refuse_elsewhere(request);
  ChosenParticles particles;
  if (!found && !request.follows()) {
    take_place(request.chosen, particles);
    return particles;
  }
  particles.ids = request.ids ? request.ids
                              : std::make_shared<const FollowedIds>(ids_at_home(request, progress));
  particles.filter.ids = elsewhere ? as_sought_later(particles.ids->lists) : particles.ids->lists;
  return particles;
}

}  // namespace haloscope::analysis
