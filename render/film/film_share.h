#pragma once

#include "compute/exec/ranks.h"
#include "core/image.h"
#include "core/text_values.h"
#include "core/vector.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace haloscope::render {

// How the ranks of a film share its work. By frames: each has all particles, and draws one frame of
// each round. By particles: each has a part of them, all draw a round's one frame together, and the
// first gets it. One process has rounds of one frame either way.
class FilmShare {
 public:
  explicit FilmShare(compute::Ranks& ranks) : ranks_(ranks) {}

  // From now on; before the first round.
  void share_particles() { by_particles_ = true; }

  compute::Ranks& ranks() const { return ranks_; }
  bool several() const { return ranks_.size() > 1; }
  bool by_particles() const { return by_particles_; }
  // Whether this rank gets the frames that it draws.
  bool has_frames() const { return !by_particles_ || ranks_.first(); }

  std::size_t frames_per_round() const { return by_particles_ ? 1 : std::size_t(ranks_.size()); }
  // This rank's frame of the round that begins with frame `first`.
  std::size_t own_frame(std::size_t first) const {
    return by_particles_ ? first : first + std::size_t(ranks_.rank());
  }
  // The rank that gets a frame of a film that begins with frame `first`.
  int rank_with(std::size_t frame, std::size_t first) const {
    return int((frame - first) % frames_per_round());
  }

  // Host memory for frames on this rank, which gets some; `one_file`: the first rank gets all.
  std::uint64_t bytes_of_frames(PixelSize size, bool one_file) const;

  // What the first rank answers, on all that draw the frame together. All of them call it, and only
  // the first one's `ask` is called, which may throw.
  bool agreed(const std::function<bool()>& ask) const;

  // What the first rank finds, on all. All of them call it, as agreed().
  std::optional<Vec> told(const std::function<std::optional<Vec>()>& find) const;

  // Gives the frames of a round to the first rank's `take`, in their order. All call it; `own` has
  // no pixels where this rank has no frame in the round.
  void pass_on(const Image8& own, const std::function<void(const Image8&)>& take) const;

 private:
  compute::Ranks& ranks_;
  bool by_particles_ = false;
};

}  // namespace haloscope::render
