#include "app/viewer/remote/local_socket.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/output_folder.h"

#include <cstring>
#include <filesystem>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

// Where a socket can be made, and what becomes of its name.

namespace haloscope::app::viewer {

namespace {

std::string fault_of(const std::string& path) {
  try {
    const LocalSocket socket(path);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What a program leaves that was killed.
void leave_dead_socket(const std::string& path) {
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  REQUIRE(::bind(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
}

}  // namespace

TEST_CASE("a socket is for its user alone, and its name goes with it", "[driving]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("desk.sock");
  const auto former = ::umask(0);
  {
    const LocalSocket socket(path);
    struct stat made {};
    REQUIRE(::lstat(path.c_str(), &made) == 0);
    CHECK(S_ISSOCK(made.st_mode));
    CHECK((made.st_mode & 0777) == 0600);
    CHECK(!socket.accept());
  }
  ::umask(former);
  CHECK(folder.files().empty());
}

TEST_CASE("a socket takes no place that is taken", "[driving]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("desk.sock");
  {
    const LocalSocket socket(path);
    CHECK(holds(fault_of(path), "a program that runs listens there"));
    CHECK(std::filesystem::exists(path));
  }
  leave_dead_socket(path);
  CHECK(fault_of(path).empty());
  test::put_bytes(path, "mine");
  CHECK(holds(fault_of(path), "a file that is no socket"));
  CHECK(std::filesystem::file_size(path) == 4);
}

TEST_CASE("what stands in the place of a socket in the end stays", "[driving]") {
  const test::OutputFolder folder;
  const std::string path = folder.path("desk.sock");
  {
    const LocalSocket socket(path);
    std::filesystem::remove(path);
    test::put_bytes(path, "mine");
  }
  CHECK(folder.files().size() == 1);
}

TEST_CASE("faults of a socket's path are told", "[driving]") {
  const test::OutputFolder folder;
  const std::string room(107 - folder.path().size(), 'x');
  CHECK(fault_of(folder.path(room)).empty());
  CHECK(holds(fault_of(folder.path(room + "x")), "can have 107 bytes, and this one has 108"));
  CHECK(holds(fault_of(folder.path("no/desk.sock")), "No such file or directory"));
  test::put_bytes(folder.path("file"), "mine");
  CHECK(holds(fault_of(folder.path("file/desk.sock")), "is no folder"));
  if (::geteuid() != 0) {
    std::filesystem::create_directory(folder.path("closed"));
    std::filesystem::permissions(folder.path("closed"), std::filesystem::perms(0500));
    CHECK(holds(fault_of(folder.path("closed/desk.sock")), "write-protected"));
  }
}

}  // namespace haloscope::app::viewer
