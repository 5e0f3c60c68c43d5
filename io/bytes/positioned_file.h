#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace haloscope::io {

// A file read at given offsets from several threads at once. Raw reads are several times faster
// than memory mapping here, whose page faults contend for one lock per process.
class PositionedFile {
 public:
  // Throws Error when the file cannot be opened.
  explicit PositionedFile(const std::string& path);
  PositionedFile(const PositionedFile&) = delete;
  PositionedFile& operator=(const PositionedFile&) = delete;
  ~PositionedFile();

  std::uint64_t size() const { return size_; }

  // Fills `out`; throws BadFile naming `what` when the file ends before or the disk fails.
  void read(std::uint64_t offset, std::size_t bytes, void* out, const std::string& what) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace haloscope::io
