#include "render/film/film_share.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace haloscope::render {

std::uint64_t FilmShare::bytes_of_frames(PixelSize size, bool one_file) const {
  const std::uint64_t pixels = std::uint64_t(size.width) * std::uint64_t(size.height);
  const std::uint64_t own = pixels * (3 * 4 + 2 * 3) * sizeof(float);
  if (!one_file || !ranks_.first() || !several()) return own;
  // Those of a round, and one more while they are handed on.
  return own + pixels * 3 * (frames_per_round() + 1);
}

bool FilmShare::agreed(const std::function<bool()>& ask) const {
  if (!by_particles_) return ask();
  std::uint8_t answer = ranks_.first() && ask() ? 1 : 0;
  ranks_.broadcast(&answer, sizeof answer);
  return answer != 0;
}

std::optional<Vec> FilmShare::told(const std::function<std::optional<Vec>()>& find) const {
  struct {
    bool found = false;
    Vec at{};
  } all;
  if (ranks_.first())
    if (const auto own = find()) all = {true, *own};
  ranks_.broadcast(&all, sizeof all);
  return all.found ? std::optional(all.at) : std::nullopt;
}

void FilmShare::pass_on(const Image8& own, const std::function<void(const Image8&)>& take) const {
  if (!several() || by_particles_) {
    if (!own.pixels.empty()) take(own);
    return;
  }
  std::vector<std::uint64_t> bytes;
  const std::vector<std::uint8_t> all =
      ranks_.gather<std::uint8_t>(std::span(own.pixels), 0, &bytes);
  if (!ranks_.first()) return;
  // The first rank has a frame in each round, and all frames have its size.
  Image8 frame = own;
  auto begin = all.begin();
  for (const std::uint64_t count : bytes) {
    const auto end = begin + std::ptrdiff_t(count);
    frame.pixels.assign(begin, end);
    if (count > 0) take(frame);
    begin = end;
  }
}

}  // namespace haloscope::render
