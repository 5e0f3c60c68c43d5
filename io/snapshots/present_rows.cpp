#include "io/snapshots/present_rows.h"

#include "io/bytes/scalar_type.h"

#include <algorithm>

namespace haloscope::io {

namespace {

// A run of present rows, by number in the dataset and in the whole column.
struct Run {
  std::uint64_t begin = 0, end = 0, column = 0;
};

std::vector<Run> runs_of(const std::vector<RowRange>& present, std::uint64_t first) {
  std::vector<Run> runs;
  for (const RowRange& range : present) {
    runs.push_back({range.begin, range.end, first});
    first += range.end - range.begin;
  }
  return runs;
}

// Wanted rows of the column by their numbers in the dataset.
std::vector<RowRange> in_dataset(const std::vector<Run>& runs,
                                 const std::vector<RowRange>& wanted) {
  std::vector<RowRange> rows;
  for (const Run& run : runs)
    for (const RowRange& range : wanted) {
      const std::uint64_t begin = std::max(range.begin, run.column);
      const std::uint64_t end = std::min(range.end, run.column + (run.end - run.begin));
      if (begin < end)
        rows.push_back({run.begin + begin - run.column, run.begin + end - run.column});
    }
  return rows;
}

}  // namespace

void read_present_rows(const Hdf5ColumnPart& part, const std::vector<RowRange>& present,
                       const ChunkVisitor& visit, RowProgress& progress) {
  const std::vector<Run> runs = runs_of(present, part.first_row);
  const std::vector<RowRange> wanted = part.wanted ? in_dataset(runs, *part.wanted) : present;
  Hdf5ColumnPart whole = part;
  whole.first_row = 0;
  whole.wanted = &wanted;
  // Rows between wanted ones may come along, lost ones among them.
  read_hdf5_column(
      whole,
      [&](const ColumnChunk& chunk) {
        const std::uint64_t row_bytes =
            scalar_bytes(chunk.scalar) * std::uint64_t(chunk.components);
        for (const Run& run : runs) {
          const std::uint64_t begin = std::max(chunk.first, run.begin);
          const std::uint64_t end = std::min(chunk.first + chunk.rows, run.end);
          if (begin >= end) continue;
          ColumnChunk piece = chunk;
          piece.first = run.column + (begin - run.begin);
          piece.rows = end - begin;
          piece.data =
              static_cast<const unsigned char*>(chunk.data) + (begin - chunk.first) * row_bytes;
          visit(piece);
        }
      },
      progress);
}

}  // namespace haloscope::io
