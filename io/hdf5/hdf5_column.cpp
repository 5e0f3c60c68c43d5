#include "io/hdf5/hdf5_column.h"

#include "core/error.h"
#include "core/log.h"
#include "io/bytes/positioned_file.h"
#include "io/hdf5/hdf5_chunk.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_unwritten.h"
#include "io/hdf5/hdf5_virtual.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <vector>

namespace haloscope::io {

namespace {

// Pieces stay in the second-level cache between reading and the visitor's conversion.
constexpr std::uint64_t kPieceBytes = std::uint64_t(1) << 18;

// Rows that are nearer than this to wanted ones cost less to read than to leave out.
constexpr std::uint64_t kGapBytes = std::uint64_t(1) << 14;

using Buffers = tbb::enumerable_thread_specific<std::vector<unsigned char>>;

std::string described(const Hdf5ColumnPart& part) {
  return "dataset " + part.dataset + " (" + part.type + ")";
}

DatasetLayout checked_layout(const Hdf5ColumnPart& part, hid_t dataset) {
  DatasetLayout layout = dataset_layout(dataset);
  if (!layout.numeric) throw BadFile(described(part) + " does not hold numbers", part.file);
  const bool shape_fits = layout.shape.size() >= 1 && layout.shape.size() <= 2 &&
                          layout.rows() == part.rows && layout.components() == part.components;
  if (!shape_fits) {
    std::vector<std::uint64_t> expected{part.rows};
    if (part.components > 1) expected.push_back(std::uint64_t(part.components));
    throw BadFile(described(part) + " has the wrong shape: expected " + shape_text(expected) +
                      ", found " + shape_text(layout.shape),
                  part.file);
  }
  if (const auto missing = missing_virtual_source(dataset, part.file))
    throw BadFile(described(part) + " is virtual and its source file " + *missing + " is missing",
                  part.file, "put it back beside this file");
  return layout;
}

// The wanted rows of the part, counted from its start, widened to multiples of `align` and joined
// where at most `gap` rows lie between.
std::vector<RowRange> wanted_rows(const Hdf5ColumnPart& part, std::uint64_t align,
                                  std::uint64_t gap) {
  if (!part.wanted) return {{0, part.rows}};
  std::vector<RowRange> ranges;
  for (const RowRange& range : *part.wanted) {
    const std::uint64_t begin = std::max(range.begin, part.first_row);
    const std::uint64_t end = std::min(range.end, part.first_row + part.rows);
    if (begin >= end) continue;
    RowRange local{(begin - part.first_row) / align * align, end - part.first_row};
    local.end = std::min(part.rows, (local.end + align - 1) / align * align);
    if (!ranges.empty() && local.begin <= ranges.back().end + gap)
      ranges.back().end = std::max(ranges.back().end, local.end);
    else
      ranges.push_back(local);
  }
  return ranges;
}

// The same in pieces of at most `step` rows, made one by one: their number may be beyond memory.
class Pieces {
 public:
  Pieces(std::vector<RowRange> ranges, std::uint64_t step)
      : ranges_(std::move(ranges)), step_(step) {
    for (const RowRange& range : ranges_) {
      firsts_.push_back(count_);
      const std::uint64_t rows = range.end - range.begin;
      count_ += rows / step + (rows % step != 0);
    }
  }

  std::uint64_t size() const { return count_; }
  RowRange operator[](std::uint64_t piece) const {
    const auto next = std::upper_bound(firsts_.begin(), firsts_.end(), piece);
    const auto i = std::size_t(next - firsts_.begin()) - 1;
    const std::uint64_t row = ranges_[i].begin + (piece - firsts_[i]) * step_;
    return {row, std::min(row + step_, ranges_[i].end)};
  }

 private:
  std::vector<RowRange> ranges_;
  std::uint64_t step_;
  std::vector<std::uint64_t> firsts_;  // the number of each range's first piece
  std::uint64_t count_ = 0;
};

const char* filter_name(H5Z_filter_t filter) {
  switch (filter) {
    case H5Z_FILTER_SZIP:
      return "szip";
    case 305:
      return "lzo";
    case 307:
      return "bzip2";
    case 32000:
      return "lzf";
    case 32001:
      return "blosc";
    case 32004:
      return "lz4";
    case 32008:
      return "bitshuffle";
    case 32013:
      return "zfp";
    case 32015:
      return "zstd";
    default:
      return "of an unknown name";
  }
}

class ColumnRead {
 public:
  ColumnRead(const Hdf5ColumnPart& part, hid_t dataset, const ChunkVisitor& visit,
             RowProgress& progress)
      : part_(part),
        dataset_(dataset),
        layout_(checked_layout(part, dataset)),
        visit_(visit),
        progress_(progress),
        row_bytes_(scalar_bytes(layout_.scalar) * std::uint64_t(part.components)) {}

  void run() {
    if (part_.rows == 0) return;
    check_written();
    if (layout_.native && layout_.storage == DatasetLayout::Storage::Contiguous)
      read_contiguous();
    else if (layout_.native && chunks_hold_whole_rows() && can_decode(layout_))
      read_chunks();
    else
      read_through_library();
  }

 private:
  // Writers fill their columns: where a part is there, what is not was lost, and would read as
  // zeros. A column that nobody began to fill is none of theirs.
  void check_written() const {
    if (never_written(dataset_, layout_))
      log::warn("a dataset has space but no data, its values read as zero",
                part_.file + ": " + part_.dataset);
    else if (const auto lost = unwritten_part(dataset_, layout_))
      throw BadFile(described(part_) + " is incomplete: " + *lost, part_.file,
                    "the file is damaged or was never finished: copy it again");
  }

  void hand_over(std::uint64_t row, std::uint64_t rows, const void* data) {
    visit_({part_.first_row + row, rows, part_.components, layout_.scalar, data});
    progress_.advance(rows);
  }

  std::uint64_t piece_rows() const { return std::max<std::uint64_t>(1, kPieceBytes / row_bytes_); }

  void read_contiguous() {
    std::uint64_t user_block = 0;  // part of a contiguous dataset's offset
    const PositionedFile file(file_of(dataset_, user_block));
    if (layout_.offset > file.size() || part_.rows > (file.size() - layout_.offset) / row_bytes_)
      throw BadFile("the file is truncated: " + described(part_) + " of " +
                        std::to_string(part_.rows) + " rows begins at byte " +
                        std::to_string(layout_.offset) + ", the file ends at " +
                        std::to_string(file.size()),
                    part_.file, "copy it again");
    Buffers buffers;
    const Pieces pieces(wanted_rows(part_, 1, kGapBytes / row_bytes_), piece_rows());
    tbb::parallel_for(std::uint64_t(0), pieces.size(), [&](std::uint64_t piece) {
      auto& buffer = buffers.local();
      const auto [row, end] = pieces[piece];
      const std::uint64_t rows = end - row;
      buffer.resize(rows * row_bytes_);
      file.read(layout_.offset + row * row_bytes_, rows * row_bytes_, buffer.data(),
                described(part_));
      hand_over(row, rows, buffer.data());
    });
  }

  // h5py's automatic chunks may cut rows apart; those go through the library.
  bool chunks_hold_whole_rows() const {
    return layout_.storage == DatasetLayout::Storage::Chunked &&
           (layout_.chunk.size() == 1 || layout_.chunk[1] == std::uint64_t(part_.components));
  }

  void read_chunks() {
    const std::uint64_t chunk_rows = layout_.chunk[0];
    const std::uint64_t chunk_bytes = chunk_rows * row_bytes_;
    const Pieces pieces(wanted_rows(part_, chunk_rows, 0), chunk_rows);
    const std::uint64_t grain = std::max<std::uint64_t>(1, piece_rows() / chunk_rows);
    // Where HDF5's addresses count from behind a user block differs between its versions.
    std::uint64_t user_block = 0;
    const PositionedFile file(file_of(dataset_, user_block));
    tbb::enumerable_thread_specific<ChunkDecoder> decoders(
        [&] { return ChunkDecoder(user_block == 0 ? &file : nullptr); });
    const tbb::blocked_range<std::uint64_t> all(0, pieces.size(), grain);
    tbb::parallel_for(all, [&](const auto& range) {
      auto& decoder = decoders.local();
      for (std::uint64_t i = range.begin(); i < range.end(); ++i) {
        const auto [row, end] = pieces[i];
        const std::uint64_t rows = end - row;
        const void* data = decoder.decode(dataset_, layout_, row, chunk_bytes);
        if (!data) {
          const std::string reason = decoder.failure();
          if (!reason.empty()) fail(reason);
          data = read_slab(row, rows, decoder.buffer());
        }
        hand_over(row, rows, data);
      }
    });
  }

  void read_through_library() {
    for (std::size_t i = 0; i < layout_.filters.size(); ++i)
      if (H5Zfilter_avail(layout_.filters[i]) <= 0)
        throw BadFile(described(part_) + " is compressed with HDF5 filter " +
                          std::to_string(layout_.filters[i]) + " (" +
                          filter_name(layout_.filters[i]) + "), which is not installed",
                      part_.file,
                      "install its HDF5 plugin (HDF5_PLUGIN_PATH) or rewrite the file with gzip");
    // Whole chunks at a time, or each would be decompressed once per piece that touches it.
    const bool chunked = layout_.storage == DatasetLayout::Storage::Chunked;
    const std::uint64_t chunk = chunked ? layout_.chunk[0] : 1;
    const std::uint64_t step = std::max<std::uint64_t>(1, piece_rows() / chunk) * chunk;
    std::vector<unsigned char> buffer;
    const Pieces pieces(wanted_rows(part_, chunk, kGapBytes / row_bytes_), step);
    for (std::uint64_t i = 0; i < pieces.size(); ++i) {
      const auto [row, end] = pieces[i];
      hand_over(row, end - row, read_slab(row, end - row, buffer));
    }
  }

  const void* read_slab(std::uint64_t row, std::uint64_t rows, std::vector<unsigned char>& buffer) {
    buffer.resize(rows * row_bytes_);
    Hdf5Lock lock;
    const int rank = int(layout_.shape.size());
    const hsize_t start[2] = {row, 0};
    const hsize_t count[2] = {rows, hsize_t(part_.components)};
    const Hdf5Handle memory(H5Screate_simple(rank, count, nullptr), H5Sclose);
    const Hdf5Handle space(H5Dget_space(dataset_), H5Sclose);
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr);
    if (H5Dread(dataset_, native_hdf5_type(layout_.scalar), memory.id(), space.id(), H5P_DEFAULT,
                buffer.data()) < 0)
      fail(hdf5_last_error());
    return buffer.data();
  }

  [[noreturn]] void fail(const std::string& reason) const {
    if (reason.find("letcher32") != std::string::npos)
      throw BadFile(described(part_) + " is corrupt: a chunk's fletcher32 checksum does not match",
                    part_.file, "copy the file again");
    throw BadFile(
        described(part_) + " cannot be read" + (reason.empty() ? "" : " (" + reason + ")"),
        part_.file, "the file may be damaged or cut short: copy it again");
  }

  const Hdf5ColumnPart& part_;
  hid_t dataset_;
  DatasetLayout layout_;
  const ChunkVisitor& visit_;
  RowProgress& progress_;
  std::uint64_t row_bytes_;
};

}  // namespace

void read_hdf5_column(const Hdf5ColumnPart& part, const ChunkVisitor& visit,
                      RowProgress& progress) {
  const Hdf5Handle file = open_hdf5_file(part.file);
  const Hdf5Handle dataset = open_hdf5_dataset(file.id(), part.dataset);
  if (!dataset)
    throw BadFile(described(part) + " is missing", part.file,
                  "the file holds " + std::to_string(part.rows) + " particles of this type");
  ColumnRead(part, dataset.id(), visit, progress).run();
}

}  // namespace haloscope::io
