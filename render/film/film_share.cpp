#include "render/film/film_share.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace haloscope::render {

bool FilmShare::can_be_by_particles(const RenderRequest& picture, std::size_t snapshots) {
  using namespace compute::splotch;
  // Those are what require_for_ranks() refuses.
  return snapshots == 1 && picture.mode != Mode::Classic && !picture.map.cells &&
         picture.compute.strategy != Strategy::Paper;
}

bool FilmShare::agreed(const std::function<bool()>& ask) const {
  if (!by_particles_) return ask();
  std::uint8_t answer = ranks_.first() && ask() ? 1 : 0;
  ranks_.broadcast(&answer, sizeof answer);
  return answer != 0;
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
