#include "core/atomic_file.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <chrono>
#include <condition_variable>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

// Pipes with a name, at whose opening a program waits for the other end: no input and no output.

using namespace haloscope;
using namespace haloscope::test;
namespace fs = std::filesystem;

namespace {

std::string sample() {
  return sample_file();
}

// Opens the other end of a pipe after a while, so that who waits for it goes on and the test fails
// instead of lasting for good.
class Rescue {
 public:
  explicit Rescue(const std::string& pipe) : thread_([this, pipe] { watch(pipe); }) {}
  ~Rescue() { stop(); }
  Rescue(const Rescue&) = delete;
  Rescue& operator=(const Rescue&) = delete;
  bool was_needed() {
    stop();
    return needed_;
  }

 private:
  void watch(const std::string& pipe) {
    std::unique_lock lock(mutex_);
    for (int second = 0; !over_; ++second) {
      if (done_.wait_for(lock, std::chrono::seconds(1), [this] { return over_; })) return;
      if (second < 5) continue;
      needed_ = true;
      ::close(::open(pipe.c_str(), O_RDWR | O_NONBLOCK));
    }
  }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    done_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  std::mutex mutex_;
  std::condition_variable done_;
  bool over_ = false, needed_ = false;
  std::thread thread_;
};

void check_refused(const OutputFolder& folder, const std::string& pipe,
                   const std::vector<std::string>& arguments) {
  const std::string path = folder.path(pipe);
  if (!fs::exists(path)) REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  Rescue rescue(path);
  const Outcome run = run_program(arguments);
  INFO(arguments[0] << " " << pipe << ": " << run.err);
  CHECK_FALSE(rescue.was_needed());
  CHECK(run.is_fault());
  CHECK(run.says(pipe + ": "));
  CHECK(run.says("this is a pipe, not a file"));
  CHECK(fs::is_fifo(path));
}

}  // namespace

TEST_CASE("a pipe with a name is refused as an input of every kind", "[bad]") {
  const OutputFolder folder;
  const auto refuse = [&](const std::string& pipe, std::vector<std::string> arguments) {
    for (auto& word : arguments)
      if (word == "PIPE") word = folder.path(pipe);
    check_refused(folder, pipe, arguments);
  };
  const std::string out = folder.path("out.png"), frames = folder.path("out%03d.png");
  for (const char* name : {"f.hdf5", "f.bin", "f.csv"}) {
    refuse(name, {"info", "PIPE"});
    refuse(name, {"catalog", "PIPE"});
    refuse(name, {"render", "PIPE", "-o", out});
  }
  refuse("other.hdf5", {"convert", sample(), folder.path("out.hdf5"), "--ids-of", "PIPE"});
  refuse("f.pal", {"render", sample(), "-o", out, "--palette", "PIPE"});
  refuse("f.toml", {"render", sample(), "-o", out, "--state", "PIPE"});
  refuse("f.toml", {"movie", sample(), "-o", frames, "--path", "PIPE"});
  refuse("scene.txt", {"movie", sample(), "-o", frames, "--path", "PIPE"});
  refuse("f.par", {"splotch", "PIPE"});
  // Beside a snapshot.
  fs::create_symlink(sample(), folder.path("s.hdf5"));
  check_refused(folder, "s.hdf5.haloscope.toml", {"info", folder.path("s.hdf5")});
  for (const auto& name : folder.files()) CHECK_FALSE(name.starts_with("out"));
}

TEST_CASE("a pipe with a name is refused as an output of every kind", "[bad]") {
  const OutputFolder folder;
  const auto refuse = [&](const std::string& pipe, std::vector<std::string> arguments) {
    for (auto& word : arguments)
      if (word == "PIPE") word = folder.path(pipe);
    check_refused(folder, pipe, arguments);
  };
  const std::string out = folder.path("out.png");
  refuse("p.png", {"render", sample(), "-o", "PIPE"});
  refuse("p.exr", {"render", sample(), "-o", "PIPE", "--map", "surface-density"});
  refuse("p.json", {"render", sample(), "-o", out, "--stats", "PIPE"});
  refuse("p.hdf5", {"halos", sample(), "-o", "PIPE"});
  refuse("p.csv", {"halos", sample(), "-o", "PIPE"});
  refuse("p.json", {"halos", sample(), "-o", folder.path("out.csv"), "--stats", "PIPE"});
  refuse("p.hdf5", {"convert", sample(), "PIPE"});
  put_bytes(folder.path("path.toml"), "fps = 5\n[[key]]\n[[key]]\ntime = 1\n");
  refuse("0.png",
         {"movie", sample(), "--path", folder.path("path.toml"), "-o", folder.path("%d.png")});
  refuse("p.toml", {"movie", sample(), "--path", folder.path("path.toml"), "-o",
                    folder.path("out%d.png"), "--write-path", "PIPE"});
  for (const auto& name : folder.files()) CHECK_FALSE(name.starts_with("out"));
}

TEST_CASE("a pipe that the shell opened takes what is written", "[bad]") {
  int ends[2] = {-1, -1};
  REQUIRE(pipe(ends) == 0);
  const std::string path = "/dev/fd/" + std::to_string(ends[1]);
  require_writable(path);
  AtomicFile file(path);
  file.write("through", 7);
  file.commit();
  char bytes[16] = {};
  CHECK(read(ends[0], bytes, sizeof bytes) == 7);
  CHECK(std::string(bytes) == "through");
  close(ends[0]);
  close(ends[1]);
}
