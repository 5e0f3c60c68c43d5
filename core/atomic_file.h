#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace haloscope {

// Throws Error unless a file can be written at `path`: its folder exists and accepts a new file,
// and the path is neither a folder nor a write-protected file. Commands call this before long work,
// so that a mistyped folder costs a second and not a night. Leaves nothing behind.
void require_writable(const std::string& path);

// An output file that appears whole or not at all: written under a temporary name in the folder of
// its target, flushed to the disk and renamed by commit(), removed when destroyed before that. A
// crash or a full disk leaves the old file or the new one.
//
// Three ways to write: write() and try_write() here; stream(), which is a plain FILE; or, for
// libraries that open files themselves, temporary_path().
//
// A link as target stays a link: the file it points at is replaced. A target that is no regular
// file (/dev/stdout, a pipe that the shell opened) is written directly, since renaming would
// replace the device; a pipe with a name (FIFO) is refused, since opening it waits for a reader.
// Where a file size limit (ulimit -f) is set, the program must ignore SIGXFSZ, or the signal ends
// it before any error can be told; for pipes likewise SIGPIPE. A process killed in between leaves
// the temporary file (.haloscope-*.tmp), which the next run that writes into the folder removes.
// outputs.h knows all of them.
class AtomicFile {
 public:
  // Creates the temporary file. Throws Error when the folder is missing or read-only, or the path
  // is a folder or a write-protected file.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& temporary_path() const { return temporary_path_; }
  std::FILE* stream() { return stream_; }

  // Appends at the stream's position. Throws Error, saying so when the disk is full.
  void write(const void* data, std::size_t size);
  // The same for callbacks from C libraries, through which no exception may pass: returns false and
  // remembers the reason, after which every later write is refused and commit() throws it.
  bool try_write(const void* data, std::size_t size) noexcept;

  // Reserves disk space, so that a full disk is noticed before the writing; on file systems that
  // cannot reserve, only looks at how much is free. Throws Error when there is not enough.
  void require_space(std::uint64_t bytes);

  // Throws the Error for the write that failed, or for what the disk answers to a small trial write
  // when a library failed and keeps the reason to itself. `detail` (the library's words) is used
  // only where the disk is not to blame.
  [[noreturn]] void fail(const std::string& detail = {});

  // Flushes to the disk and closes the file, so that all but its name is done; commit() follows.
  // Throws as commit().
  void finish(bool flush = true);

  // Flushes to the disk and gives the file its name. Throws Error, and removes the temporary file,
  // when anything since the opening has failed. Without `flush` a power cut may leave a file of the
  // right length with wrong contents: only for what checks itself and can be made again.
  void commit(bool flush = true);

 private:
  void discard() noexcept;
  int close_stream() noexcept;

  std::string path_;
  std::string final_path_;  // path_ with links followed
  std::string temporary_path_;
  std::FILE* stream_ = nullptr;
  int held_ = -1;        // keeps the lock on the temporary file until it has its name
  bool direct_ = false;  // the target is a device or pipe, written in place
  bool named_ = false;   // the file has its name: there is no temporary one any more
  int error_ = 0;        // errno of the first failed write
};

}  // namespace haloscope
