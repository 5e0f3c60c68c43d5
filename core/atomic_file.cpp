#include "core/atomic_file.h"

#include "core/error.h"
#include "core/input_file.h"
#include "core/leftovers.h"
#include "core/outputs.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <system_error>
#include <unistd.h>

namespace haloscope {

namespace fs = std::filesystem;

namespace {

constexpr int kLongestLinkChain = 40;  // Linux's own limit

std::string reason(int error) {
  return std::generic_category().message(error);
}

std::string folder_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

Error write_error(const std::string& path, int error) {
  switch (error) {
    case ENOSPC:
      return Error("cannot write: the disk is full", path,
                   "free some space or write to another disk");
    case EDQUOT:
      return Error("cannot write: your disk quota is used up", path,
                   "free some space or write to another disk");
    case EFBIG:
      return Error("cannot write: the file would be larger than allowed here", path,
                   "raise the file size limit (ulimit -f) or write to another disk");
    default:
      return Error("cannot write: " + reason(error), path);
  }
}

// Why no file could be created in `folder` for `path`, from what the folder looks like and then
// from `error`.
Error create_error(const std::string& path, const std::string& folder, int error) {
  std::error_code ignored;
  const fs::file_status status = fs::status(folder, ignored);
  if (error == ENOTDIR || (fs::exists(status) && !fs::is_directory(status)))
    return Error("cannot write: " + folder + " is not a folder", path,
                 "choose another output path");
  if (!fs::exists(status))
    return Error("cannot write: the folder " + folder + " does not exist", path,
                 "create it or choose another output path");
  if (error == EACCES || error == EPERM)
    return Error("cannot write: no permission to create files in " + folder, path,
                 "choose another output path");
  if (error == EROFS)
    return Error("cannot write: " + folder + " is on a read-only disk", path,
                 "choose another output path");
  if (error == ENOENT)  // the folder exists but takes no files, as in /proc
    return Error("cannot write: files cannot be created in " + folder, path,
                 "choose another output path");
  return write_error(path, error);
}

// The file that `path` means, links followed, so that a link stays a link; and what it is now.
struct Target {
  std::string path;
  bool exists = false;
  bool regular = false;
  mode_t mode = 0;
};

Target examine(const std::string& path) {
  if (path.empty()) throw Error("the output path is empty", {}, "name an output file");
  Target target{path};
  struct stat now {};
  // Links such as /dev/stdout lead to pipes by words that are no path.
  const bool in_place = stat(path.c_str(), &now) == 0 && !S_ISREG(now.st_mode);
  // By hand, since weakly_canonical does not follow a link to a file that is yet to be made.
  std::error_code error;
  for (int hops = 0; !in_place && hops < kLongestLinkChain && fs::is_symlink(target.path, error);
       ++hops) {
    const fs::path to = fs::read_symlink(target.path, error);
    target.path = (fs::path(target.path).parent_path() / to).string();
  }
  if (stat(target.path.c_str(), &now) == 0) {
    target.exists = true;
    target.regular = S_ISREG(now.st_mode);
    target.mode = now.st_mode & 07777;
    if (S_ISDIR(now.st_mode))
      throw Error("cannot write: this is a folder", path, "add a file name");
    // It would wait for a reader that may never come.
    if (S_ISFIFO(now.st_mode) && !is_pipe_of_shell(path))
      throw Error("cannot write: this is a pipe, not a file", path, "name a file");
    if (access(target.path.c_str(), W_OK) != 0)
      throw Error("cannot write: the file is write-protected", path,
                  "choose another name or change its permissions");
  } else if (errno == ENAMETOOLONG) {
    throw write_error(path, errno);
  } else if (path.back() == '/') {
    throw Error("cannot write: this names a folder", path, "add a file name");
  }
  return target;
}

// Opens a new file that nobody else has beside `target`; the name is short and its own, so that it
// fits wherever the target's does.
int create_beside(const std::string& target, std::string& temporary) {
  static std::atomic<unsigned> counter{0};
  const fs::path folder = folder_of(target);
  remove_leftovers(folder.string());
  for (int attempt = 0; attempt < 1000; ++attempt) {
    temporary =
        (folder / (temporary_prefix() + std::to_string(counter.fetch_add(1)) + ".tmp")).string();
    const int fd = open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0 || hold_temporary(fd)) return fd;
    close(fd);
    unlink(temporary.c_str());
  }
  return -1;
}

// What is no regular file. Opened without waiting for who is at the other end, then used as usual.
int open_in_place(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

// A rename survives a power cut only when the folder is flushed too; where that is not possible the
// file is still whole, so the result is ignored.
void flush_folder(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

void require_writable(const std::string& path) {
  const Target target = examine(path);
  if (target.exists && !target.regular) return;  // examine() has asked for write access
  if (fs::path(target.path).filename().native().size() > 255) throw write_error(path, ENAMETOOLONG);
  std::string temporary;
  const int fd = create_beside(target.path, temporary);
  if (fd < 0) throw create_error(path, folder_of(target.path), errno);
  close(fd);
  unlink(temporary.c_str());
}

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  const Target target = examine(path);
  final_path_ = target.path;
  direct_ = target.exists && !target.regular;
  int fd = -1;
  if (direct_) {
    temporary_path_ = final_path_;
    fd = open_in_place(final_path_);
  } else {
    fd = create_beside(final_path_, temporary_path_);
    // A file that others may read stays readable for them.
    if (fd >= 0 && target.exists) fchmod(fd, target.mode);
  }
  if (fd < 0) throw create_error(path, folder_of(final_path_), errno);
  if (!direct_ && !outputs::begin(temporary_path_)) {
    close(fd);
    discard();
    throw write_error(path, ECANCELED);
  }
  if (!direct_) held_ = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  stream_ = fdopen(fd, direct_ ? "wb" : "w+b");
  if (!stream_) {
    const int error = errno;
    close(fd);
    if (held_ >= 0) close(held_);
    discard();
    throw write_error(path, error);
  }
  // Larger than the default 4 KiB: PNG and EXR write in pieces of this order.
  setvbuf(stream_, nullptr, _IOFBF, std::size_t(1) << 18);
}

AtomicFile::~AtomicFile() {
  if (stream_) close_stream();
  if (!named_) discard();
  if (held_ >= 0) close(held_);
}

bool AtomicFile::try_write(const void* data, std::size_t size) noexcept {
  if (error_ != 0) return false;
  errno = 0;
  if (std::fwrite(data, 1, size, stream_) == size) return true;
  error_ = errno != 0 ? errno : EIO;
  return false;
}

void AtomicFile::write(const void* data, std::size_t size) {
  if (!try_write(data, size)) fail();
}

void AtomicFile::require_space(std::uint64_t bytes) {
  if (direct_ || bytes == 0) return;
  // The plain system call: posix_fallocate would write zeros where the file system cannot reserve.
  if (fallocate(fileno(stream_), 0, 0, off_t(bytes)) == 0) return;
  if (errno == EOPNOTSUPP || errno == ENOSYS) {
    struct statvfs disk {};
    if (fstatvfs(fileno(stream_), &disk) != 0) return;
    errno = std::uint64_t(disk.f_bavail) * disk.f_frsize < bytes ? ENOSPC : 0;
  }
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) {
    error_ = errno;
    fail();
  }
}

void AtomicFile::fail(const std::string& detail) {
  if (error_ == 0 && stream_ && !direct_) {
    // As much as a file system may have left over in its last blocks, and a little more.
    static const char trial[65536] = {};
    const int fd = fileno(stream_);
    struct stat now {};
    off_t end = fstat(fd, &now) == 0 ? now.st_size : 0;
    for (std::size_t left = sizeof trial; left > 0 && error_ == 0;) {
      const ssize_t written = pwrite(fd, trial, left, end);
      if (written < 0 && errno != EINTR) error_ = errno;
      if (written == 0) break;
      if (written > 0) left -= std::size_t(written), end += written;
    }
  }
  const int error = error_;
  if (stream_) {
    close_stream();
    discard();
  }
  if (error != 0 || detail.empty()) throw write_error(path_, error != 0 ? error : EIO);
  throw Error("cannot write: " + detail, path_);
}

void AtomicFile::finish(bool flush) {
  if (error_ != 0) fail();
  errno = 0;
  if (std::fflush(stream_) != 0 || std::ferror(stream_)) {
    error_ = errno;  // 0 after a failed seek: then fail() asks the disk
    fail();
  }
  // Devices and pipes cannot be flushed to a disk and say EINVAL.
  if (flush && fsync(fileno(stream_)) != 0 && errno != EINVAL && errno != ENOTSUP) {
    error_ = errno;
    fail();
  }
  // Network file systems report a full disk as late as this.
  const int close_error = close_stream();
  if (close_error != 0) {
    discard();
    throw write_error(path_, close_error);
  }
}

void AtomicFile::commit(bool flush) {
  if (stream_) finish(flush);
  if (direct_) return;
  // What can be made again is not told of.
  const int error = outputs::give_name(temporary_path_, final_path_, flush ? path_ : std::string());
  if (error != 0) {
    discard();
    throw write_error(path_, error);
  }
  named_ = true;
  if (flush) flush_folder(folder_of(final_path_));
}

int AtomicFile::close_stream() noexcept {
  errno = 0;
  const int result = std::fclose(stream_) == 0 ? 0 : (errno != 0 ? errno : EIO);
  stream_ = nullptr;
  return result;
}

void AtomicFile::discard() noexcept {
  if (direct_) return;
  unlink(temporary_path_.c_str());
  outputs::end(temporary_path_);
}

}  // namespace haloscope
