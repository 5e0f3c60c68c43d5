#include "io/loading/select_rows.h"

#include "core/array.h"
#include "core/error.h"
#include "io/loading/column_dispatch.h"
#include "io/loading/finite_point.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

namespace haloscope::io {

namespace {

// Any number does; a fixed one gives the same sample in every run.
constexpr std::uint64_t kSeed = 0x68616c6f73636f70ULL;

// This process's part of the rows of some ranges.
std::vector<RowRange> own_part(const std::vector<RowRange>& ranges, std::uint64_t rows,
                               const ReadTogether* together) {
  if (!together) return ranges;
  const RowRange own = together->rows_of(RowMap(rows, ranges).candidates());
  std::vector<RowRange> part;
  std::uint64_t before = 0;
  for (const RowRange& range : ranges) {
    const std::uint64_t end = std::min(range.end, rows);
    if (range.begin >= end) continue;
    const std::uint64_t behind = before + end - range.begin;
    const std::uint64_t first = std::max(own.begin, before), last = std::min(own.end, behind);
    if (first < last) part.push_back({range.begin + first - before, range.begin + last - before});
    before = behind;
  }
  return part;
}

RowMap rows_in_region(const SnapshotReader& reader, int type, const Region& region,
                      const RegionTest& test, const ReadTogether* together,
                      std::uint64_t& not_finite, Progress& progress) {
  const std::uint64_t all = reader.info().types.at(type).count;
  RowMap rows(all, own_part(reader.rows_in(type, region), all, together));
  require_host_memory(rows.candidates() / 7, "the list of particles in the region");
  RowMarks marks(rows.candidates());
  std::atomic<std::uint64_t> odd{0};
  rows.read(
      reader, type, position_field(reader, type),
      [&](const ColumnChunk& chunk) {
        RowMarks::Writer writer(marks);
        std::uint64_t bad = 0;
        with_typed_data(chunk, [&](const auto* data) {
          rows.each(chunk.first, chunk.rows,
                    [&](std::uint64_t i, std::uint64_t, std::uint64_t candidate) {
                      const auto* p = data + 3 * i;
                      if (!finite_point(p))
                        ++bad;
                      else if (test.contains(p))
                        writer.set(candidate);
                    });
        });
        odd += bad;
      },
      progress);
  not_finite = odd;
  rows.keep_marked(std::move(marks));
  return rows;
}

}  // namespace

void require_positions(const SnapshotInfo& info, int type) {
  const TypeInfo& one = info.types.at(type);
  if (!one.find(Role::Position))
    throw BadFile("type " + std::to_string(type) + " (" + one.name + ") has no positions",
                  info.files.front(), "leave it out (--types)");
}

SelectedRows find_rows(const SnapshotReader& reader, const std::vector<int>& types,
                       const Selection& selection, const ParticleFilter& filter,
                       Progress& progress) {
  const SnapshotInfo& info = reader.info();
  std::optional<RegionTest> test;
  if (selection.region) test.emplace(*selection.region, info);
  FilteredRows filtered(reader, types, filter);
  const std::optional<Region> reach = filtered.reach();
  SelectedRows selected;
  std::vector<std::uint64_t> counts;
  for (const int type : types) {
    const TypeInfo& one = info.types.at(type);
    require_positions(info, type);
    RowMap rows = test    ? rows_in_region(reader, type, *selection.region, *test, nullptr,
                                           selected.not_finite[type], progress)
                  : reach ? RowMap(one.count, reader.rows_in(type, *reach))
                          : RowMap(one.count);
    filtered.keep(type, rows, selected.not_finite[type], progress);
    selected.in_region[type] = rows.size();
    if (rows.size() == 0) continue;
    counts.push_back(rows.size());
    selected.rows.emplace(type, std::move(rows));
  }
  selected.ids_found = filtered.ids_found();
  if (selected.rows.empty()) return selected;
  selected.every = sampling_step(counts, selection);
  for (auto& [type, rows] : selected.rows) {
    rows.thin(selected.every, kSeed + std::uint64_t(type));
    selected.kept[type] = rows.size();
    selected.weights[type] = double(selected.in_region[type]) / double(rows.size());
  }
  return selected;
}

namespace {

// By what particles are told, in the words of whoever has asked for it.
std::string selection_in_words(const Selection& selection, const ParticleFilter& filter) {
  std::vector<std::string> parts;
  if (selection.region) parts.emplace_back("in the region");
  if (filter.sphere)
    parts.push_back(fmt::format("in the sphere of radius {:g}", filter.sphere->radius));
  if (filter.outline) parts.emplace_back("in the lasso");
  for (const ValueRange& range : filter.values)
    parts.push_back(fmt::format("{} from {:g} to {:g}", range.field, range.low, range.high));
  if (filter.ids) parts.push_back(fmt::format("one of {} IDs", ids_in(*filter.ids)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

SelectedRows select_rows(const SnapshotReader& reader, const std::vector<int>& types,
                         const Selection& selection, Progress& progress,
                         const ParticleFilter& filter) {
  SelectedRows selected = find_rows(reader, types, selection, filter, progress);
  if (!selected.rows.empty()) return selected;
  const std::string& file = reader.info().files.front();
  if (filter.any())
    throw Error("no particle is in the selection: " + selection_in_words(selection, filter), file,
                "choose other limits or other types");
  if (selection.region) require_any(selected, reader.info());
  return selected;
}

SelectedRows select_rows_together(const SnapshotReader& reader, const std::vector<int>& types,
                                  const Selection& selection, const ReadTogether& together,
                                  Progress& progress) {
  const SnapshotInfo& info = reader.info();
  std::optional<RegionTest> test;
  if (selection.region) test.emplace(*selection.region, info);
  SelectedRows part;
  std::vector<std::uint64_t> counts;
  for (const int type : types) {
    const std::uint64_t all = info.types.at(type).count;
    require_positions(info, type);
    RowMap rows;
    if (test) {
      std::uint64_t& odd = part.not_finite[type];
      rows = rows_in_region(reader, type, *selection.region, *test, &together, odd, progress);
      odd = together.sum(odd);
      part.in_region[type] = together.sum(rows.size());
    } else {
      rows = RowMap(all, {together.rows_of(all)});
      part.in_region[type] = all;
    }
    if (part.in_region[type] == 0) continue;
    counts.push_back(part.in_region[type]);
    part.rows.emplace(type, std::move(rows));
  }
  if (selection.region) require_any(part, info);
  if (part.rows.empty()) return part;
  part.every = sampling_step(counts, selection);
  for (auto& [type, rows] : part.rows) {
    const std::uint64_t all = part.in_region[type];
    rows.thin_part(part.every, kSeed + std::uint64_t(type), together.before(rows.size()), all);
    part.kept[type] = together.sum(rows.size());
    part.weights[type] = double(all) / double(part.kept[type]);
  }
  return part;
}

void require_any(const SelectedRows& of_region, const SnapshotInfo& info) {
  if (of_region.rows.empty())
    throw EmptyRegion("no particle lies in the region", info.files.front(),
                      "give --region in the file's own lengths");
}

namespace {

// Limits beyond the box, or the first above the second, are mostly meant, and sometimes another
// unit or a slip: where they lead is said.
std::string around_the_box(const Region& region, const SnapshotInfo& info) {
  if (!info.periodic || !(info.box_size > 0)) return "";
  std::string text;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = region.low[axis] - info.box_origin[axis];
    const double high = region.high[axis] - info.box_origin[axis];
    const double side = info.box_size;
    if (low >= 0 && low < high && high <= side) continue;
    const auto inside = [&](double x) {
      return info.box_origin[axis] + x - side * std::floor(x / side);
    };
    const std::string place =
        high - low >= side
            ? "all of it"
            : fmt::format("{:g} {}to {:g}", inside(low),
                          inside(low) >= inside(high) ? "across the edge " : "", inside(high));
    text +=
        fmt::format("{} {} is {}", text.empty() ? ", where in the box" : ",", "xyz"[axis], place);
  }
  return text;
}

}  // namespace

std::vector<std::string> describe_selection(const SnapshotInfo& info, const Selection& selection,
                                            const SelectedRows& selected, int type,
                                            const ParticleFilter& filter) {
  std::vector<std::string> said;
  const TypeInfo& one = info.types.at(type);
  const std::uint64_t inside = selected.in_region.at(type);
  const std::string around = selection.region ? around_the_box(*selection.region, info) : "";
  if (filter.any())
    said.push_back(fmt::format("{} of {} {} particles are selected{}{}.", inside, one.count,
                               one.name, around.empty() ? "" : ", of the region", around));
  else if (selection.region)
    said.push_back(fmt::format("{} of {} {} particles lie in the region{}.", inside, one.count,
                               one.name, around));
  if (selection.region || filter.sphere) {
    if (const auto odd = selected.not_finite.at(type))
      said.push_back(
          fmt::format("{} of {} {} particles have positions that are not finite numbers: left out.",
                      odd, one.count, one.name));
  }
  if (selected.rows.count(type) && selected.every > 1)
    said.push_back(fmt::format(
        "A sample of {} of {} {} particles, one of each {} in the order of the file: "
        "masses are multiplied by {:.6g}, other fields are as stored{}.",
        selected.kept.at(type), inside, one.name, selected.every, selected.weights.at(type),
        info.smoothing_lengths.count(type)
            ? ", smoothing lengths too: pictures are as sharp as with all, and noisier"
            : ""));
  return said;
}

std::vector<std::string> describe_shared_ids(const SelectedRows& selected,
                                             const ParticleFilter& filter) {
  if (!filter.ids) return {};
  std::uint64_t taken = 0;
  for (const auto& [type, count] : selected.in_region) taken += count;
  if (taken <= selected.ids_found) return {};
  const std::uint64_t shared = taken - selected.ids_found;
  return {shared == 1
              ? std::string("One particle shares an ID with another: both are taken.")
              : fmt::format("{} particles share an ID with another: all are taken.", shared)};
}

}  // namespace haloscope::io
