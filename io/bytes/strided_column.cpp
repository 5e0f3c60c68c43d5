#include "io/bytes/strided_column.h"

#include "io/bytes/byte_order.h"
#include "io/bytes/positioned_file.h"
#include "io/bytes/row_progress.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kStridedPieceBytes = std::uint64_t(1) << 18;
constexpr std::uint64_t kGapBytes = std::uint64_t(1) << 14;  // read rather than skipped

struct Piece {
  std::size_t part = 0;
  std::uint64_t begin = 0, end = 0;  // rows of the part
};

std::vector<RowRange> joined(const std::vector<RowRange>& rows, std::uint64_t gap) {
  std::vector<RowRange> out;
  for (const auto& range : rows) {
    if (range.begin >= range.end) continue;
    if (!out.empty() && range.begin <= out.back().end + gap)
      out.back().end = std::max(out.back().end, range.end);
    else
      out.push_back(range);
  }
  return out;
}

std::vector<Piece> pieces_of(const StridedColumn& column, const std::vector<RowRange>& rows) {
  const std::uint64_t step = std::max<std::uint64_t>(1, kStridedPieceBytes / column.stride);
  std::vector<Piece> pieces;
  for (std::size_t p = 0; p < column.parts.size(); ++p) {
    const auto& part = column.parts[p];
    auto range =
        std::lower_bound(rows.begin(), rows.end(), part.first_row,
                         [](const RowRange& one, std::uint64_t first) { return one.end <= first; });
    for (; range != rows.end() && range->begin < part.first_row + part.rows; ++range) {
      const std::uint64_t begin = std::max(range->begin, part.first_row) - part.first_row;
      const std::uint64_t end = std::min(range->end, part.first_row + part.rows) - part.first_row;
      for (std::uint64_t at = begin; at < end; at += step)
        pieces.push_back({p, at, std::min(at + step, end)});
    }
  }
  return pieces;
}

// One thread's open file and memory.
struct Worker {
  std::size_t part = std::size_t(-1);
  std::unique_ptr<PositionedFile> file;
  std::vector<std::uint64_t> bytes, values;  // of 8 bytes each, so that any value is aligned

  const void* read(const StridedColumn& column, const Piece& piece) {
    const auto& from = column.parts[piece.part];
    if (part != piece.part) {
      file = std::make_unique<PositionedFile>(from.file);
      part = piece.part;
    }
    const std::size_t size = bytes_of(column.scalar);
    const std::uint64_t rows = piece.end - piece.begin;
    const auto components = std::uint64_t(column.components);
    const std::uint64_t begin = from.offset + piece.begin * column.stride;
    const bool planes = column.component_stride != 0 && column.component_stride != size;
    values.resize((rows * components * size + 7) / 8);
    char* to = reinterpret_cast<char*>(values.data());
    if (planes) {
      bytes.resize((rows * size + 7) / 8);
      const char* plane = reinterpret_cast<const char*>(bytes.data());
      for (std::uint64_t c = 0; c < components; ++c) {
        file->read(begin + c * column.component_stride, rows * size, bytes.data(), column.what);
        for (std::uint64_t i = 0; i < rows; ++i)
          std::memcpy(to + (i * components + c) * size, plane + i * size, size);
      }
    } else if (column.stride == components * size) {
      file->read(begin, rows * column.stride, to, column.what);
    } else {
      // The last record is read only as far as needed: the file may end with it.
      const std::uint64_t length = (rows - 1) * column.stride + components * size;
      bytes.resize((length + 7) / 8);
      file->read(begin, length, bytes.data(), column.what);
      const char* records = reinterpret_cast<const char*>(bytes.data());
      for (std::uint64_t i = 0; i < rows; ++i)
        std::memcpy(to + i * components * size, records + i * column.stride, components * size);
    }
    if (column.swap) swap_values(to, rows * components, size);
    return to;
  }
};

}  // namespace

std::size_t bytes_of(ScalarType scalar) {
  const bool four =
      scalar == ScalarType::Float32 || scalar == ScalarType::Int32 || scalar == ScalarType::UInt32;
  return four ? 4 : 8;
}

void read_strided(const StridedColumn& column, const std::vector<RowRange>* rows,
                  const std::string& phase, const ChunkVisitor& visit, Progress& progress) {
  std::vector<RowRange> wanted;
  if (rows)
    wanted = joined(*rows, kGapBytes / column.stride);
  else if (!column.parts.empty())
    wanted = {{0, column.parts.back().first_row + column.parts.back().rows}};
  const std::vector<Piece> pieces = pieces_of(column, wanted);
  std::uint64_t total = 0;
  for (const auto& piece : pieces) total += piece.end - piece.begin;
  RowProgress rows_done(progress, phase, total);
  tbb::enumerable_thread_specific<Worker> workers;
  tbb::parallel_for(std::size_t(0), pieces.size(), [&](std::size_t i) {
    const Piece& piece = pieces[i];
    const void* data = workers.local().read(column, piece);
    visit({column.parts[piece.part].first_row + piece.begin, piece.end - piece.begin,
           column.components, column.scalar, data});
    rows_done.advance(piece.end - piece.begin);
  });
}

}  // namespace haloscope::io
