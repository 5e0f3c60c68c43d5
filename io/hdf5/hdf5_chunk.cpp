#include "io/hdf5/hdf5_chunk.h"

#include "core/error.h"
#include "io/bytes/positioned_file.h"
#include "io/hdf5/hdf5_handle.h"

#include <algorithm>
#include <cstring>
#include <libdeflate.h>

namespace haloscope::io {

bool can_decode(const DatasetLayout& layout) {
  for (std::size_t i = 0; i < layout.filters.size(); ++i) {
    const H5Z_filter_t filter = layout.filters[i];
    if (filter == H5Z_FILTER_SHUFFLE && layout.filter_element[i] > 0) continue;
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_FLETCHER32) return false;
  }
  return true;
}

const void* ChunkDecoder::decode(hid_t dataset, const DatasetLayout& layout, std::uint64_t row,
                                 std::uint64_t chunk_bytes) {
  failure_.clear();
  std::uint32_t skipped = 0;
  if (!fetch(dataset, layout, row, chunk_bytes, skipped)) return nullptr;
  for (std::size_t i = layout.filters.size(); i-- > 0;) {
    if (skipped >> i & 1U) continue;  // HDF5 leaves a filter out for chunks where it gained nothing
    if (layout.filters[i] == H5Z_FILTER_DEFLATE) {
      if (!inflate(chunk_bytes)) return nullptr;
    } else if (layout.filters[i] == H5Z_FILTER_FLETCHER32) {
      if (!verify_checksum()) return nullptr;
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

void ChunkDecoder::FreeDecompressor::operator()(libdeflate_decompressor* state) const {
  libdeflate_free_decompressor(state);
}

bool ChunkDecoder::fetch(hid_t dataset, const DatasetLayout& layout, std::uint64_t row,
                         std::uint64_t chunk_bytes, std::uint32_t& skipped_filters) {
  std::vector<hsize_t> offset(layout.shape.size(), 0);
  offset[0] = row;
  hsize_t bytes = 0;
  haddr_t address = HADDR_UNDEF;
  {
    Hdf5Lock lock;
    unsigned skipped = 0;
    if (H5Dget_chunk_info_by_coord(dataset, offset.data(), &skipped, &address, &bytes) < 0 ||
        address == HADDR_UNDEF || bytes == 0)
      return false;
    skipped_filters = skipped;
    // Incompressible data grow by a thousandth and a few bytes.
    if (bytes > chunk_bytes + chunk_bytes / 512 + 4096) {
      failure_ = "a compressed chunk claims to be longer than its values";
      return false;
    }
    if (!file_) {
      const Hdf5Handle file(H5Iget_file_id(dataset), H5Fclose);
      hsize_t file_bytes = 0;
      if (H5Fget_filesize(file.id(), &file_bytes) < 0 || bytes > file_bytes) {
        failure_ = "a chunk is longer than the file";
        return false;
      }
      current_.resize(bytes);
      if (H5Dread_chunk(dataset, H5P_DEFAULT, offset.data(), &skipped_filters, current_.data()) >=
          0)
        return true;
      failure_ = hdf5_last_error();
      if (failure_.empty()) failure_ = "a chunk is unreadable";
      return false;
    }
  }
  if (address > file_->size() || bytes > file_->size() - address) {
    failure_ = "a chunk lies beyond the end of the file";
    return false;
  }
  current_.resize(bytes);
  file_->read(address, bytes, current_.data(), "a chunk");
  return true;
}

bool ChunkDecoder::inflate(std::uint64_t chunk_bytes) {
  // No deflate stream grows to more than 1032 times its size: what claims to is no reason to take
  // gigabytes of memory.
  if (chunk_bytes / 1033 > current_.size()) {
    failure_ = "a gzip-compressed chunk is corrupt";
    return false;
  }
  if (!decompressor_) decompressor_.reset(libdeflate_alloc_decompressor());
  if (!decompressor_) throw Error("out of memory", "host memory");
  next_.resize(chunk_bytes);
  std::size_t size = 0;
  if (libdeflate_zlib_decompress(decompressor_.get(), current_.data(), current_.size(),
                                 next_.data(), next_.size(), &size) != LIBDEFLATE_SUCCESS) {
    failure_ = "a gzip-compressed chunk is corrupt";
    return false;
  }
  next_.resize(size);
  current_.swap(next_);
  return true;
}

namespace {

// Fletcher's checksum over 16-bit words whose first byte is the high one, as HDF5 defines it: sums
// are folded every 360 words, before they can overflow, and a last odd byte counts as a high one.
std::uint32_t fletcher32(const unsigned char* data, std::size_t bytes) {
  constexpr std::size_t kWordsPerFold = 360;
  std::uint32_t sum = 0, sum_of_sums = 0;
  auto fold = [&] {
    sum = (sum & 0xffffU) + (sum >> 16);
    sum_of_sums = (sum_of_sums & 0xffffU) + (sum_of_sums >> 16);
  };
  for (std::size_t words = bytes / 2; words > 0;) {
    const std::size_t block = std::min(words, kWordsPerFold);
    for (std::size_t i = 0; i < block; ++i, data += 2) {
      sum += std::uint32_t(data[0]) << 8 | data[1];
      sum_of_sums += sum;
    }
    words -= block;
    fold();
  }
  if (bytes % 2 != 0) {
    sum += std::uint32_t(*data) << 8;
    sum_of_sums += sum;
    fold();
  }
  fold();
  return sum_of_sums << 16 | sum;
}

}  // namespace

// The checksum lies behind the data, little endian. Before HDF5 1.6.3 the bytes of both halves were
// swapped on some machines; the library accepts that, and so do we.
bool ChunkDecoder::verify_checksum() {
  if (current_.size() >= 4) {
    const std::size_t bytes = current_.size() - 4;
    std::uint32_t stored = 0;
    for (std::size_t i = 4; i-- > 0;) stored = stored << 8 | current_[bytes + i];
    const std::uint32_t sum = fletcher32(current_.data(), bytes);
    const std::uint32_t swapped = (sum & 0x00ff00ffU) << 8 | (sum & 0xff00ff00U) >> 8;
    current_.resize(bytes);
    if (stored == sum || stored == swapped) return true;
  }
  failure_ = "its fletcher32 checksum does not match";
  return false;
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
