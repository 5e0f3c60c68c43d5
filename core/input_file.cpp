#include "core/input_file.h"

#include "core/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace haloscope {

namespace {

constexpr long kFileSystemOfPipes = 0x50495045;  // PIPEFS_MAGIC: pipes without a name

}  // namespace

bool is_pipe_of_shell(const std::string& path) {
  struct statfs system {};
  return ::statfs(path.c_str(), &system) == 0 && long(system.f_type) == kFileSystemOfPipes;
}

int open_input_descriptor(const std::string& path, const std::string& what, Pipes pipes) {
  if (path.empty()) throw Error("the name of the " + what + " is empty", {}, "name a file");
  // Without waiting: the opening of a pipe lasts until somebody opens its other end.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
    const std::string reason = std::strerror(errno);
    if (descriptor >= 0) ::close(descriptor);
    throw Error("the " + what + " cannot be opened: " + reason, path,
                "check its name and its permissions");
  }
  const bool of_shell =
      S_ISFIFO(status.st_mode) && pipes == Pipes::OfShell && is_pipe_of_shell(path);
  if (!S_ISREG(status.st_mode) && !of_shell) {
    ::close(descriptor);
    if (S_ISDIR(status.st_mode)) throw Error("this is a folder, not a file", path, "name a file");
    if (S_ISFIFO(status.st_mode))
      throw Error("this is a pipe, not a file", path, "write what it gives to a file first");
    throw Error("this is not a file", path, "name a file");
  }
  return descriptor;
}

void require_input(const std::string& path, const std::string& what, Pipes pipes) {
  ::close(open_input_descriptor(path, what, pipes));
}

std::ifstream open_input(const std::string& path, const std::string& what, Pipes pipes) {
  require_input(path, what, pipes);
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error("the " + what + " cannot be opened", path, "check its name and its permissions");
  return file;
}

}  // namespace haloscope
