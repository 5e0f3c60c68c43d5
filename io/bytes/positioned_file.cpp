#include "io/bytes/positioned_file.h"

#include "core/error.h"
#include "core/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace haloscope::io {

PositionedFile::PositionedFile(const std::string& path)
    : path_(path), descriptor_(open_input_descriptor(path)) {
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0) size_ = std::uint64_t(status.st_size);
}

PositionedFile::~PositionedFile() {
  ::close(descriptor_);
}

void PositionedFile::read(std::uint64_t offset, std::size_t bytes, void* out,
                          const std::string& what) const {
  auto* to = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t got =
        ::pread(descriptor_, to, std::min(bytes, std::size_t(1) << 30), off_t(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw BadFile(what + " cannot be read: " + std::strerror(errno), path_, "check the disk");
    if (got == 0)
      throw BadFile("the file is truncated: it ends within " + what, path_, "copy it again");
    to += got;
    offset += std::uint64_t(got);
    bytes -= std::size_t(got);
  }
}

}  // namespace haloscope::io
