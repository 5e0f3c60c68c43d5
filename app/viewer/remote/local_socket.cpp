#include "app/viewer/remote/local_socket.h"

#include "core/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace haloscope::app::viewer {

namespace {

namespace fs = std::filesystem;

constexpr int kKnocking = 16;  // programs that wait to be let in
constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;

[[noreturn]] void refuse_path(const std::string& path, const std::string& what,
                              const std::string& remedy) {
  throw Error(what, path, remedy);
}

[[noreturn]] void fail_of_system(const std::string& path, const std::string& deed) {
  throw Error(deed + ": " + std::generic_category().message(errno), path, "choose another path");
}

sockaddr_un address_of(const std::string& path) {
  if (path.size() > kLongestPath)
    refuse_path(path,
                fmt::format("the name of a socket can have {} bytes, and this one has {}",
                            kLongestPath, path.size()),
                "choose a shorter one, or one from the working folder");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return address;
}

Descriptor new_socket() {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Two programs may find the same dead socket: the second one must not remove what the first one has
// put in its place. Where the folder cannot be locked (a file system without locks), nothing is.
Descriptor lock_folder(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0)
    refuse_path(path,
                fmt::format("there is no socket to be made in the folder {}: {}", folder,
                            std::generic_category().message(errno)),
                "make the folder first, or choose another one");
  if (!S_ISDIR(found.st_mode))
    refuse_path(path, folder + " is no folder", "choose a path in a folder");
  Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return opened;
  // Whoever holds it needs milliseconds; one who holds it for good shall not hold up this program.
  for (int tries = 0; tries < 100; ++tries) {
    if (::flock(opened.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return opened;
}

// Removes what stands in the way if it is a socket at which nobody listens any more.
void remove_dead_socket(const std::string& path, const sockaddr_un& address) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return;
  if (!S_ISSOCK(found.st_mode))
    refuse_path(path, "a file that is no socket has this name", "choose another one");
  if (found.st_uid != ::geteuid())
    refuse_path(path, "a socket of another user has this name", "choose another one");
  const Descriptor probe = new_socket();
  if (!probe) fail_of_system(path, "no socket can be made");
  if (::connect(probe.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
      errno != ECONNREFUSED)
    refuse_path(path, "a program that runs listens there already",
                "end it, or choose another path");
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    fail_of_system(path, "a program that has ended left this socket, which cannot be removed");
}

}  // namespace

LocalSocket::LocalSocket(const std::string& path) : socket_(new_socket()) {
  const sockaddr_un address = address_of(path);
  if (!socket_) fail_of_system(path, "no socket can be made");
  const Descriptor lock = lock_folder(path);
  // On Linux bind() gives the name the socket's own mode: there is no moment at which others may
  // connect, and the umask of the other threads stays.
  if (::fchmod(socket_.number(), S_IRUSR | S_IWUSR) != 0)
    fail_of_system(path, "no socket can be made that is for one user alone");
  const auto* const name = reinterpret_cast<const sockaddr*>(&address);
  int bound = ::bind(socket_.number(), name, sizeof address);
  if (bound != 0 && errno == EADDRINUSE) {
    remove_dead_socket(path, address);
    bound = ::bind(socket_.number(), name, sizeof address);
  }
  if (bound != 0 && (errno == EACCES || errno == EPERM || errno == EROFS))
    refuse_path(path, "its folder is write-protected", "choose another folder");
  if (bound != 0) fail_of_system(path, "no socket can be made");
  // The working folder may be another one in the end.
  path_ = fs::absolute(path).string();
  struct stat made {};
  if (::lstat(path_.c_str(), &made) == 0) {
    device_ = made.st_dev;
    inode_ = made.st_ino;
  }
  if ((made.st_mode & (S_IRWXG | S_IRWXO)) != 0 || ::listen(socket_.number(), kKnocking) != 0) {
    ::unlink(path_.c_str());
    fail_of_system(path, "no socket can be made that is for one user alone");
  }
}

LocalSocket::~LocalSocket() {
  // Somebody may have put something else in its place.
  struct stat found {};
  if (::lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_)
    ::unlink(path_.c_str());
}

Descriptor LocalSocket::accept() const {
  return Descriptor(::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

bool is_of_this_user(const Descriptor& client) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(client.number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

}  // namespace haloscope::app::viewer
