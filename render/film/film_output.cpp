#include "render/film/film_output.h"

#include "core/atomic_file.h"
#include "core/check.h"
#include "core/error.h"
#include "render/files/image_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <spawn.h>
#include <sstream>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace haloscope::render {

namespace {

namespace fs = std::filesystem;

constexpr int kMostDigits = 9;

bool is_film(const std::string& extension) {
  return extension == ".mp4" || extension == ".mkv" || extension == ".mov";
}

// ffmpeg's word for a container, since a temporary file's name does not tell it.
std::string container_of(const std::string& output) {
  const std::string extension = lower_extension(output);
  return extension == ".mkv" ? "matroska" : extension.substr(1);
}

std::vector<std::string> arguments(const std::string& program, const std::string& output,
                                   const std::string& temporary, PixelSize size, double fps) {
  return {program, "-hide_banner", "-loglevel", "error", "-y",
          // what comes in
          "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size",
          fmt::format("{}x{}", size.width, size.height), "-framerate", fmt::format("{}", fps), "-i",
          "pipe:0",
          // what goes out
          "-vf",
          "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
          "-c:v", "libx264", "-crf", "16", "-preset", "medium", "-colorspace", "bt709",
          "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv", "-map_metadata",
          "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart", "-f",
          container_of(output), temporary};
}

// Of a film that is none in one file.
void require_known(const std::string& output) {
  try {
    image_extension(output);
  } catch (const Error&) {
    const std::string extension = lower_extension(output);
    throw Error(extension.empty() ? "the name of a film needs an extension"
                                  : "films cannot be written as " + extension + " files",
                output,
                "use .mp4, .mkv or .mov, or numbered frames as frames/%05d.png (.exr, .ppm, .tga)");
  }
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

}  // namespace

FilmName::FilmName(const std::string& output) : output_(output) {
  const std::string extension = lower_extension(output);
  if (is_film(extension)) return;
  const auto percent = output.find('%');
  if (percent == std::string::npos) {
    require_known(output);
    throw Error("the frames need a number in their name", output,
                "write for example frames/%05d" + extension + ", or a film's name (.mp4)");
  }
  std::size_t end = percent + 1;
  while (end < output.size() && std::isdigit(static_cast<unsigned char>(output[end]))) ++end;
  const std::string digits = output.substr(percent + 1, end - percent - 1);
  if (end >= output.size() || output[end] != 'd' || digits.size() > 3 ||
      (!digits.empty() && (digits[0] != '0' || std::atoi(digits.c_str()) > kMostDigits)) ||
      output.find('%', percent + 1) != std::string::npos)
    throw Error("this is no name for frames", output,
                "write the number as %05d, once: five digits with zeros in front");
  require_known(output);
  digits_ = digits.empty() ? 1 : std::max(1, std::atoi(digits.c_str()));
  before_ = output.substr(0, percent);
  after_ = output.substr(end + 1);
}

std::string FilmName::frame(std::size_t n) const {
  return is_one_file() ? output_ : fmt::format("{}{:0{}}{}", before_, n, digits_, after_);
}

std::string FilmName::folder() const {
  return fs::path(frame(0)).parent_path().string();
}

bool FilmName::lacks_folder() const {
  std::error_code unknown;
  return !is_one_file() && !folder().empty() && !fs::exists(folder(), unknown);
}

void FilmName::make_folder() const {
  if (!lacks_folder()) return;
  std::error_code failed;
  fs::create_directory(folder(), failed);
  if (failed) throw Error("the folder cannot be made: " + failed.message(), folder());
}

namespace {

// The first ffmpeg on PATH; empty: there is none.
std::string ffmpeg_on_path() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = fs::path(folder.empty() ? "." : folder) / "ffmpeg";
    std::error_code failed;
    if (fs::is_regular_file(program, failed) && access(program.c_str(), X_OK) == 0)
      return program.string();
  }
  return {};
}

}  // namespace

std::string Encoder::find_program() {
  if (std::string program = ffmpeg_on_path(); !program.empty()) return program;
  throw Error("a film in one file is made by this program, which is not installed", "ffmpeg",
              "install it (apt install ffmpeg), or write frames by a name such as frames/%05d.png");
}

bool Encoder::is_installed() {
  return !ffmpeg_on_path().empty();
}

// ITU-T H.264, table A-1: MaxFS of level 6.2, in macroblocks of 16 x 16 pixels; A.3.1: no side has
// more than the square root of eight times as many.
void Encoder::require_size(PixelSize size, const std::string& output) {
  constexpr std::int64_t kMostBlocks = 139264, kLongestSide = 1055;
  const std::int64_t across = (size.width + 15) / 16, down = (size.height + 15) / 16;
  if (across * down <= kMostBlocks && across <= kLongestSide && down <= kLongestSide) return;
  throw Error(fmt::format("frames of {} x {} pixels are more than the encoder, H.264, takes: {} "
                          "pixels each, 8192 x 4320 for example",
                          size.width, size.height, kMostBlocks * 256),
              output, "choose a smaller size, or write frames by a name such as frames/%05d.png");
}

// ffmpeg's messages go to a file without a name, so that no buffer of ours can fill up while it
// waits for frames.
struct Encoder::Process {
  Process(const std::string& output, PixelSize given) : file(output), size(given) {}
  ~Process() {
    if (pid > 0) {
      kill(pid, SIGKILL);
      ended_well();
    }
    close_pipe();
    if (messages) std::fclose(messages);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void start(const std::vector<std::string>& words);
  std::string last_words();
  // Waits for it; true where it ended well.
  bool ended_well();
  void close_pipe();

  AtomicFile file;
  PixelSize size;
  pid_t pid = -1;
  int pipe_end = -1;
  std::FILE* messages = nullptr;
};

void Encoder::Process::start(const std::vector<std::string>& words) {
  int ends[2];
  messages = std::tmpfile();
  // A socket and no pipe: writing to one that was closed can be told without a signal.
  if (!messages || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error("cannot start ffmpeg: " + reason(errno), words.front());
  pipe_end = ends[1];
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(messages), STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(messages), STDOUT_FILENO);
  // Ctrl+C is for us: ffmpeg would end the film there. It shall know closed pipes again.
  posix_spawnattr_t settings;
  posix_spawnattr_init(&settings);
  sigset_t restored;
  sigemptyset(&restored);
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&restored, signal);
  posix_spawnattr_setsigdefault(&settings, &restored);
  posix_spawnattr_setpgroup(&settings, 0);
  posix_spawnattr_setflags(&settings, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const int failed =
      posix_spawn(&pid, words.front().c_str(), &files, &settings, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&settings);
  close(ends[0]);
  if (failed == 0) return;
  pid = -1;
  throw Error("cannot start ffmpeg: " + reason(failed), words.front(), "check the program");
}

void Encoder::Process::close_pipe() {
  if (pipe_end >= 0) close(pipe_end);
  pipe_end = -1;
}

bool Encoder::Process::ended_well() {
  close_pipe();
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return false;
  pid = -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The last line that it said.
std::string Encoder::Process::last_words() {
  std::rewind(messages);
  std::string text;
  char part[4096];
  for (std::size_t n = 0; (n = std::fread(part, 1, sizeof part, messages)) > 0;)
    text.append(part, n);
  const auto end = text.find_last_not_of(" \r\n");
  if (end == std::string::npos) return "it said nothing";
  const auto begin = text.find_last_of("\r\n", end);
  return text.substr(begin + 1, end - begin);
}

Encoder::Encoder(const std::string& program, const std::string& output, PixelSize size, double fps)
    : process_(std::make_unique<Process>(output, size)) {
  process_->start(arguments(program, output, process_->file.temporary_path(), size, fps));
}

Encoder::~Encoder() = default;

void Encoder::write(const Image8& frame) {
  HALOSCOPE_CHECK(frame.channels, ==, 3);
  HALOSCOPE_CHECK(frame.width, ==, process_->size.width);
  HALOSCOPE_CHECK(frame.height, ==, process_->size.height);
  for (std::size_t done = 0; done < frame.pixels.size();) {
    const auto n = send(process_->pipe_end, frame.pixels.data() + done, frame.pixels.size() - done,
                        MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const std::string why = reason(errno);
      process_->ended_well();
      throw Error("ffmpeg gave up: " + process_->last_words(), process_->file.path(),
                  "write frames instead, frames/%05d.png (the pipe says " + why + ")");
    }
    done += std::size_t(n);
  }
}

void Encoder::finish() {
  if (!process_->ended_well())
    throw Error("ffmpeg failed: " + process_->last_words(), process_->file.path(),
                "write frames instead, by a name such as frames/%05d.png");
  process_->file.commit();
}

}  // namespace haloscope::render
