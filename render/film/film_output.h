#pragma once

#include "core/image.h"
#include "core/text_values.h"

#include <cstddef>
#include <memory>
#include <string>

namespace haloscope::render {

// Where a film's frames go: a name with a number in it ("frames/%05d.png", one file per frame), or
// one file that the ffmpeg program encodes (.mp4, .mkv, .mov).
class FilmName {
 public:
  // Throws Error for names that are neither.
  explicit FilmName(const std::string& output);

  bool is_one_file() const { return digits_ < 0; }
  const std::string& text() const { return output_; }
  // "frames/00012.png"
  std::string frame(std::size_t n) const;

  // Of the frames; empty: the working folder.
  std::string folder() const;
  // Whether the frames' folder is not there.
  bool lacks_folder() const;
  // Makes that folder alone, not those above it. Throws Error where it cannot.
  void make_folder() const;

 private:
  std::string output_, before_, after_;
  int digits_ = -1;
};

// A running ffmpeg that takes raw frames and writes a film beside its place; finish() gives it its
// name. Destroyed before that, ffmpeg is ended and nothing is left. H.264 with 4:2:0 colors, as
// every player takes it: an odd width or height gets one more column or row, black. No time or
// version goes into the file, so that the same frames give the same bytes.
class Encoder {
 public:
  // Throws Error where there is no ffmpeg on PATH, naming what to do instead.
  static std::string find_program();
  static bool is_installed();

  // Throws Error where frames of that size are more than H.264 has, at its highest level (6.2).
  static void require_size(PixelSize size, const std::string& output);

  // `program`: of find_program().
  Encoder(const std::string& program, const std::string& output, PixelSize size, double fps);
  ~Encoder();
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  // One RGB frame. Throws Error with ffmpeg's own last words where it gave up.
  void write(const Image8& frame);
  void finish();

 private:
  struct Process;
  std::unique_ptr<Process> process_;
};

}  // namespace haloscope::render
