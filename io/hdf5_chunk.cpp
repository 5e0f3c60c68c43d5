#include "io/hdf5_chunk.h"

#include "io/hdf5_handle.h"

#include <algorithm>
#include <cstring>
#include <zlib.h>

namespace haloscope::io {

bool can_decode(const DatasetLayout& layout) {
  for (std::size_t i = 0; i < layout.filters.size(); ++i) {
    const H5Z_filter_t filter = layout.filters[i];
    if (filter == H5Z_FILTER_SHUFFLE && layout.filter_element[i] > 0) continue;
    if (filter != H5Z_FILTER_DEFLATE) return false;
  }
  return true;
}

const void* ChunkDecoder::decode(hid_t dataset, const DatasetLayout& layout, std::uint64_t row,
                                 std::uint64_t chunk_bytes) {
  failure_.clear();
  std::uint32_t skipped = 0;
  if (!fetch(dataset, layout, row, skipped)) return nullptr;
  for (std::size_t i = layout.filters.size(); i-- > 0;) {
    if (skipped >> i & 1U) continue;  // HDF5 leaves a filter out for chunks where it gained nothing
    if (layout.filters[i] == H5Z_FILTER_DEFLATE) {
      if (!inflate(chunk_bytes)) return nullptr;
    } else {
      unshuffle(layout.filter_element[i]);
    }
  }
  if (current_.size() != chunk_bytes) {
    failure_ = "a chunk holds " + std::to_string(current_.size()) + " bytes, not " +
               std::to_string(chunk_bytes);
    return nullptr;
  }
  return current_.data();
}

bool ChunkDecoder::fetch(hid_t dataset, const DatasetLayout& layout, std::uint64_t row,
                         std::uint32_t& skipped_filters) {
  Hdf5Lock lock;
  std::vector<hsize_t> offset(layout.shape.size(), 0);
  offset[0] = row;
  hsize_t bytes = 0;
  if (H5Dget_chunk_storage_size(dataset, offset.data(), &bytes) < 0 || bytes == 0) return false;
  current_.resize(bytes);
  if (H5Dread_chunk(dataset, H5P_DEFAULT, offset.data(), &skipped_filters, current_.data()) < 0) {
    failure_ = hdf5_last_error();
    if (failure_.empty()) failure_ = "a chunk is unreadable";
    return false;
  }
  return true;
}

bool ChunkDecoder::inflate(std::uint64_t chunk_bytes) {
  next_.resize(chunk_bytes);
  uLongf size = uLongf(chunk_bytes);
  if (uncompress(next_.data(), &size, current_.data(), uLong(current_.size())) != Z_OK) {
    failure_ = "a gzip-compressed chunk is corrupt";
    return false;
  }
  next_.resize(size);
  current_.swap(next_);
  return true;
}

// The shuffle filter stores byte 0 of all elements, then byte 1 of all, …; bytes behind the last
// whole element stay where they are.
void ChunkDecoder::unshuffle(std::size_t element) {
  const std::size_t count = current_.size() / element;
  if (element < 2 || count < 2) return;
  next_.resize(current_.size());
  // Blocks keep the output lines in the first-level cache while every byte plane passes.
  constexpr std::size_t kBlock = 1024;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t end = std::min(count, begin + kBlock);
    for (std::size_t byte = 0; byte < element; ++byte) {
      const unsigned char* plane = current_.data() + byte * count;
      for (std::size_t i = begin; i < end; ++i) next_[i * element + byte] = plane[i];
    }
  }
  const std::size_t whole = count * element;
  std::memcpy(next_.data() + whole, current_.data() + whole, current_.size() - whole);
  current_.swap(next_);
}

}  // namespace haloscope::io
