#include "io/hdf5_column.h"

#include "core/error.h"
#include "core/log.h"
#include "io/hdf5_chunk.h"
#include "io/hdf5_dataset.h"
#include "io/hdf5_handle.h"
#include "io/positioned_file.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <vector>

namespace haloscope::io {

namespace {

// Pieces stay in the second-level cache between reading and the visitor's conversion.
constexpr std::uint64_t kPieceBytes = std::uint64_t(1) << 20;

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
    if (layout_.native && layout_.storage == DatasetLayout::Storage::Contiguous)
      read_contiguous();
    else if (layout_.native && chunks_hold_whole_rows() && can_decode(layout_))
      read_chunks();
    else
      read_through_library();
  }

 private:
  void hand_over(std::uint64_t row, std::uint64_t rows, const void* data) {
    visit_({part_.first_row + row, rows, part_.components, layout_.scalar, data});
    progress_.advance(rows);
  }

  std::uint64_t piece_rows() const { return std::max<std::uint64_t>(1, kPieceBytes / row_bytes_); }

  void read_contiguous() {
    const PositionedFile file(part_.file);
    const std::uint64_t needed = layout_.offset + part_.rows * row_bytes_;
    if (needed > file.size())
      throw BadFile("the file is truncated: " + described(part_) + " ends at byte " +
                        std::to_string(needed) + ", the file at " + std::to_string(file.size()),
                    part_.file, "copy it again");
    Buffers buffers;
    const std::uint64_t step = piece_rows();
    tbb::parallel_for(std::uint64_t(0), (part_.rows + step - 1) / step, [&](std::uint64_t piece) {
      auto& buffer = buffers.local();
      const std::uint64_t row = piece * step;
      const std::uint64_t rows = std::min(step, part_.rows - row);
      buffer.resize(step * row_bytes_);
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
    const std::uint64_t count = (part_.rows + chunk_rows - 1) / chunk_rows;
    const std::uint64_t grain = std::max<std::uint64_t>(1, piece_rows() / chunk_rows);
    tbb::enumerable_thread_specific<ChunkDecoder> decoders;
    tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, count, grain), [&](const auto& range) {
      auto& decoder = decoders.local();
      for (std::uint64_t i = range.begin(); i < range.end(); ++i) {
        const std::uint64_t row = i * chunk_rows;
        const std::uint64_t rows = std::min(chunk_rows, part_.rows - row);
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
                          std::to_string(layout_.filters[i]) + ", which is not installed",
                      part_.file, "install the HDF5 plugin or rewrite the file with gzip");
    std::uint64_t step = piece_rows();
    // Whole chunks at a time, or each would be decompressed once per piece that touches it.
    if (layout_.storage == DatasetLayout::Storage::Chunked) {
      const std::uint64_t chunk = layout_.chunk[0];
      step = std::max<std::uint64_t>(1, step / chunk) * chunk;
    }
    std::vector<unsigned char> buffer;
    for (std::uint64_t row = 0; row < part_.rows; row += step) {
      const std::uint64_t rows = std::min(step, part_.rows - row);
      hand_over(row, rows, read_slab(row, rows, buffer));
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
  {
    Hdf5Lock lock;
    if (part.rows > 0 && H5Dget_storage_size(dataset.id()) == 0)
      log::warn("a dataset has space but no data, its values read as zero",
                part.file + ": " + part.dataset);
  }
  ColumnRead(part, dataset.id(), visit, progress).run();
}

}  // namespace haloscope::io
