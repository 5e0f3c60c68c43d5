#include "io/loading/known_rows.h"

#include "io/loading/selection.h"

#include <utility>

namespace haloscope::io {

namespace {

// Calls f(row of the file) for each of these rows, ascending, where `rejected` (ascending) have no
// place among the columns' rows.
template <class F>
void each_row_of_file(const Array<std::uint32_t>& rows, const std::vector<std::uint64_t>& rejected,
                      const F& f) {
  std::uint64_t before = 0;
  for (const std::uint32_t row : rows) {
    while (before < rejected.size() && rejected[before] <= row + before) ++before;
    f(row + before);
  }
}

RowMap rows_of_file(std::uint64_t in_file, const Array<std::uint32_t>& rows,
                    const std::vector<std::uint64_t>& rejected) {
  // A halo is a few rows of many: a bit for each row of the file would take longer than its own.
  constexpr std::uint64_t kFew = 16;
  if (rows.size() < in_file / kFew) {
    require_host_memory(rows.size() * 4 * sizeof(RowRange), "the list of particles in the region");
    std::vector<RowRange> runs;
    each_row_of_file(rows, rejected, [&](std::uint64_t row) {
      if (!runs.empty() && runs.back().end == row)
        ++runs.back().end;
      else
        runs.push_back({row, row + 1});
    });
    return {in_file, runs};
  }
  RowMap map(in_file);
  require_host_memory(in_file / 7, "the list of particles in the region");
  RowMarks marks(in_file);
  {
    RowMarks::Writer writer(marks);
    each_row_of_file(rows, rejected, [&](std::uint64_t row) { writer.set(row); });
  }
  map.keep_marked(std::move(marks));
  return map;
}

void take_rows(SelectedRows rest, SelectedRows& all) {
  all.rows.merge(rest.rows);
  all.weights.merge(rest.weights);
  all.not_finite.merge(rest.not_finite);
  all.in_region.merge(rest.in_region);
}

}  // namespace

KnownRows select_known_rows(const SnapshotReader& reader, const std::vector<int>& types,
                            const Region& region, const KnownPositions& known, Progress& progress) {
  KnownRows found;
  const LatticeBox box = lattice_box(known.domain, region.low, region.high);
  std::vector<int> others;
  for (const int type : types) {
    const auto one = known.types.find(type);
    if (one == known.types.end()) {
      others.push_back(type);
      continue;
    }
    progress.report("finding the particles of the region", 0);
    RowsInBox rows = one->second.in_box(box);
    found.selected.not_finite[type] = one->second.counts.not_finite;
    found.selected.in_region[type] = rows.rows.size();
    if (rows.rows.empty()) continue;
    found.selected.weights[type] = 1;
    found.selected.rows.emplace(type, rows_of_file(reader.info().types.at(type).count, rows.rows,
                                                   one->second.rejected_rows));
    found.in_box.emplace(type, std::move(rows));
  }
  if (!others.empty()) {
    Selection selection;
    selection.region = region;
    take_rows(find_rows(reader, others, selection, {}, progress), found.selected);
  }
  require_any(found.selected, reader.info());
  return found;
}

}  // namespace haloscope::io
