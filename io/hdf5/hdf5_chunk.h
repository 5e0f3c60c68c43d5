#pragma once

#include "io/hdf5/hdf5_dataset.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct libdeflate_decompressor;

namespace haloscope::io {

// True where a dataset's chunks went through nothing but deflate, shuffle and fletcher32 checksums,
// which ChunkDecoder undoes and verifies.
bool can_decode(const DatasetLayout& layout);

class PositionedFile;

// Fetches and decompresses chunks outside the library's lock: libhdf5 serializes its filters, which
// makes reading compressed snapshots single-threaded. One object per thread.
class ChunkDecoder {
 public:
  // Chunks are read from `file`, outside the lock too, where it is given: the dataset's own,
  // without a user block before HDF5's bytes.
  explicit ChunkDecoder(const PositionedFile* file = nullptr) : file_(file) {}

  // The chunk whose first row is `row`, `chunk_bytes` long, valid until the next call. Returns
  // null with an empty failure() where the file has no such chunk (its values are the fill value),
  // null with a reason where it is damaged.
  const void* decode(hid_t dataset, const DatasetLayout& layout, std::uint64_t row,
                     std::uint64_t chunk_bytes);

  const std::string& failure() const { return failure_; }

  // Scratch memory that callers may use between calls of decode.
  std::vector<unsigned char>& buffer() { return current_; }

 private:
  bool fetch(hid_t dataset, const DatasetLayout& layout, std::uint64_t row,
             std::uint64_t chunk_bytes, std::uint32_t& skipped_filters);
  bool inflate(std::uint64_t chunk_bytes);
  bool verify_checksum();
  void unshuffle(std::size_t element);

  struct FreeDecompressor {
    void operator()(libdeflate_decompressor* state) const;
  };

  const PositionedFile* file_;
  std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor_;
  std::vector<unsigned char> current_, next_;
  std::string failure_;
};

}  // namespace haloscope::io
