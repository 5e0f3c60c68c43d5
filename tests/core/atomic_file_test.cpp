#include "core/atomic_file.h"

#include "tests/catch.h"
#include "tests/output_folder.h"
#include "tests/skip.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace haloscope;
using namespace haloscope::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

// The device that is always full. Root gets one of its own, since a faulty AtomicFile could replace
// the machine's; where that is not allowed (containers), there is none and the caller is skipped.
std::string full_device(const OutputFolder& folder) {
  if (geteuid() != 0) return "/dev/full";
  const std::string path = folder.path("full");
  const bool made = mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 7)) == 0;
  const int fd = made ? open(path.c_str(), O_WRONLY) : -1;
  if (fd < 0) {
    test::skip(test::Needs::System, "no device can be made here");
    return {};
  }
  close(fd);
  return path;
}

}  // namespace

TEST_CASE("an atomic file appears at commit and not before") {
  OutputFolder folder;
  const std::string path = folder.path("a.txt");
  put_bytes(path, "old");
  {
    AtomicFile file(path);
    file.write("new text", 8);
    CHECK(file_bytes(path) == "old");
    CHECK(fs::path(file.temporary_path()).parent_path() == fs::path(path).parent_path());
    file.commit();
  }
  CHECK(file_bytes(path) == "new text");
  CHECK(folder.files() == std::vector<std::string>{"a.txt"});
}

TEST_CASE("an atomic file that is finished still waits for its name") {
  OutputFolder folder;
  const std::string path = folder.path("a.txt");
  put_bytes(path, "old");
  {
    AtomicFile dropped(path);
    dropped.write("lost", 4);
    dropped.finish();
    CHECK(file_bytes(path) == "old");
  }
  CHECK(folder.files() == std::vector<std::string>{"a.txt"});
  AtomicFile file(path);
  file.write("new text", 8);
  file.finish();
  CHECK(file_bytes(path) == "old");
  file.commit();
  CHECK(file_bytes(path) == "new text");
  CHECK(folder.files() == std::vector<std::string>{"a.txt"});
}

TEST_CASE("an atomic file that is not committed leaves nothing") {
  OutputFolder folder;
  {
    AtomicFile file(folder.path("a.txt"));
    file.write("half", 4);
    CHECK(folder.files().size() == 1);
  }
  CHECK(folder.files().empty());
}

TEST_CASE("two atomic files for the same target do not disturb each other") {
  OutputFolder folder;
  AtomicFile first(folder.path("a.txt"));
  AtomicFile second(folder.path("a.txt"));
  first.write("first", 5);
  second.write("second", 6);
  second.commit();
  first.commit();
  CHECK(file_bytes(folder.path("a.txt")) == "first");
  CHECK(folder.files().size() == 1);
}

TEST_CASE("an atomic file keeps links and permissions") {
  OutputFolder folder;
  put_bytes(folder.path("real.txt"), "old");
  fs::permissions(folder.path("real.txt"), fs::perms(0640));
  fs::create_symlink("real.txt", folder.path("link.txt"));
  AtomicFile file(folder.path("link.txt"));
  file.write("new", 3);
  file.commit();
  CHECK(fs::is_symlink(folder.path("link.txt")));
  CHECK(file_bytes(folder.path("real.txt")) == "new");
  CHECK(fs::status(folder.path("real.txt")).permissions() == fs::perms(0640));
  CHECK(folder.files().size() == 2);
}

// A pipe of our own: tests run as root too, and an AtomicFile that had forgotten this rule would
// replace the machine's /dev/null.
TEST_CASE("what is no regular file is written in place, never replaced") {
  OutputFolder folder;
  int ends[2] = {-1, -1};
  REQUIRE(pipe(ends) == 0);
  const std::string path = "/dev/fd/" + std::to_string(ends[1]);
  const std::string link = folder.path("link");
  fs::create_symlink(path, link);
  require_writable(link);
  AtomicFile file(link);
  file.write("through", 7);
  file.commit();
  char bytes[16] = {};
  CHECK(read(ends[0], bytes, sizeof bytes) == 7);
  CHECK(std::string(bytes) == "through");
  for (const int end : ends) close(end);
  CHECK(fs::is_symlink(link));
  CHECK(folder.files() == std::vector<std::string>{"link"});
}

TEST_CASE("a pipe with a name is refused, since nobody may read from it") {
  OutputFolder folder;
  const std::string path = folder.path("pipe");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  // A reader, so that an AtomicFile that opens it does not wait for good.
  const int reader = open(path.c_str(), O_RDWR | O_NONBLOCK);
  CHECK_THAT(message_of([&] { require_writable(path); }),
             Contains("pipe: cannot write: this is a pipe"));
  CHECK_THAT(message_of([&] { AtomicFile file(path); }), Contains("this is a pipe, not a file"));
  close(reader);
  CHECK(fs::is_fifo(path));
}

namespace {

// Makes a temporary file in a process of its own, which then is killed as by kill -9. Its name.
std::string killed_over(const OutputFolder& folder) {
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file(folder.path("a.txt"));
    file.write("half", 4);
    std::fflush(file.stream());
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const auto files = folder.files();
  return files.empty() ? std::string() : files.front();
}

}  // namespace

TEST_CASE("what a killed process left is removed by the next that writes there") {
  OutputFolder folder;
  const std::string left = killed_over(folder);
  REQUIRE(left.starts_with(".haloscope-"));
  REQUIRE(left.ends_with(".tmp"));
  // Of another machine and boot, and of programs that only look alike.
  const std::string other = ".haloscope-000000000000-000000000000-17-0.tmp";
  const std::vector<std::string> kept{other, ".haloscope-17-0.tmp", ".haloscope-note.tmp"};
  for (const auto& name : kept) put_bytes(folder.path(name), "theirs");
  put_bytes(folder.path(left + ".png"), "a picture");
  {
    AtomicFile file(folder.path("b.txt"));
    CHECK_FALSE(fs::exists(folder.path(left)));
    file.write("b", 1);
    file.commit();
  }
  for (const auto& name : kept) CHECK(file_bytes(folder.path(name)) == "theirs");
  CHECK(fs::exists(folder.path(left + ".png")));
  CHECK(file_bytes(folder.path("b.txt")) == "b");
}

TEST_CASE("a temporary file of a living process is left alone") {
  OutputFolder folder;
  int ready[2], over[2];
  REQUIRE(pipe(ready) == 0);
  REQUIRE(pipe(over) == 0);
  char byte = 0;
  const pid_t child = fork();
  if (child == 0) {
    close(over[1]);
    AtomicFile file(folder.path("a.txt"));
    file.write("whole", 5);
    bool good = write(ready[1], "x", 1) == 1;
    good = read(over[0], &byte, 1) >= 0 && good;  // until the other end is closed
    file.commit();
    _exit(good ? 0 : 1);
  }
  REQUIRE(read(ready[0], &byte, 1) == 1);
  {
    AtomicFile file(folder.path("b.txt"));
    CHECK(folder.files().size() == 2);
    file.commit();
  }
  for (const int end : {over[0], over[1], ready[0], ready[1]}) close(end);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(file_bytes(folder.path("a.txt")) == "whole");
  CHECK(folder.files() == std::vector<std::string>{"a.txt", "b.txt"});
}

TEST_CASE("output paths that cannot work are refused early, each with its reason") {
  OutputFolder folder;
  put_bytes(folder.path("a.txt"), "a file");
  const auto message = [](const std::string& path) {
    const std::string early = message_of([&] { require_writable(path); });
    CHECK(message_of([&] { AtomicFile file(path); }) == early);
    return early;
  };
  CHECK(message(folder.path("a.txt")).empty());
  CHECK(message(folder.path("new.txt")).empty());
  CHECK_THAT(message(folder.path("missing/b.png")),
             Contains("missing/b.png: cannot write: the folder ") && Contains("does not exist"));
  CHECK_THAT(message(folder.path("a.txt/b.png")), Contains("a.txt is not a folder"));
  CHECK_THAT(message(folder.path()), Contains("a folder"));
  CHECK_THAT(message(folder.path("new/")), Contains("a folder"));
  CHECK_THAT(message(folder.path(std::string(300, 'x') + ".png")), Contains("name too long"));
  CHECK_THAT(message("/proc/b.png"), Contains("cannot be created in /proc") ||
                                         Contains("no permission to create files in /proc"));
  CHECK_THAT(message(""), Contains("empty"));
  fs::create_symlink("nowhere/b.png", folder.path("dangling.png"));
  CHECK_THAT(message(folder.path("dangling.png")), Contains("does not exist"));
  CHECK(folder.files() == std::vector<std::string>{"a.txt", "dangling.png"});
}

TEST_CASE("a read-only folder or file is refused") {
  if (geteuid() == 0) {
    return test::skip(test::Needs::System, "permissions do not bind root");
  }
  OutputFolder folder;
  put_bytes(folder.path("a.txt"), "kept");
  fs::permissions(folder.path("a.txt"), fs::perms(0444));
  CHECK_THAT(message_of([&] { require_writable(folder.path("a.txt")); }),
             Contains("write-protected"));
  fs::permissions(folder.path(), fs::perms(0555));
  CHECK_THAT(message_of([&] { require_writable(folder.path("b.txt")); }),
             Contains("no permission"));
  fs::permissions(folder.path(), fs::perms(0755));
}

TEST_CASE("a full disk is called a full disk") {
  OutputFolder folder;
  const std::string full = full_device(folder);
  if (full.empty()) return;
  const std::string block(1 << 20, 'x');
  CHECK_THAT(message_of([&] { AtomicFile(full).write(block.data(), block.size()); }),
             Contains("full: cannot write: the disk is full"));
  // Less than the buffer: noticed when it is flushed.
  CHECK_THAT(message_of([&] {
               AtomicFile file(full);
               file.write("x", 1);
               file.commit();
             }),
             Contains("the disk is full"));
}

TEST_CASE("a write that fails leaves the old file and nothing else") {
  OutputFolder folder;
  const std::string path = folder.path("a.txt");
  put_bytes(path, "old");
  const std::string block(1 << 20, 'x');
  const auto all_refused = [&](const std::string& message) {
    CHECK_THAT(message, Contains("cannot write: the file would be larger than allowed"));
    CHECK(file_bytes(path) == "old");
    CHECK(folder.files().size() == 1);
  };
  all_refused(message_with_file_limit(100000, [&] {
    AtomicFile file(path);
    file.write(block.data(), block.size());
  }));
  all_refused(message_with_file_limit(100, [&] {
    AtomicFile file(path);
    file.write(block.data(), 1000);
    file.commit();
  }));
  all_refused(message_with_file_limit(100000, [&] {
    AtomicFile file(path);
    if (file.try_write(block.data(), block.size())) return;
    if (file.try_write("x", 1)) return;
    file.commit();
  }));
  all_refused(message_with_file_limit(100000, [&] {
    AtomicFile file(path);
    file.require_space(block.size());
  }));
}

TEST_CASE("a library that failed without saying why: the disk is asked") {
  OutputFolder folder;
  CHECK_THAT(message_with_file_limit(0, [&] { AtomicFile(folder.path("a")).fail("library"); }),
             Contains("larger than allowed"));
  CHECK_THAT(message_of([&] { AtomicFile(folder.path("a")).fail("library's words"); }),
             Contains("cannot write: library's words"));
  CHECK(folder.files().empty());
}
