#pragma once

#include "compute/exec/device.h"
#include "compute/exec/part_of_rows.h"
#include "compute/exec/ranks.h"
#include "compute/spatial/neighbors.h"
#include "core/array.h"
#include "core/particles.h"
#include "core/progress.h"
#include "core/snapshot_info.h"
#include "io/loading/kept_lengths.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::analysis {

// How to come by smoothing lengths that a file lacks.
struct LengthsChoice {
  int neighbors = 32;  // other particles of the type inside; 0: leave it to the renderer
  io::KeepLengths keep = io::KeepLengths::Beside;
  bool part = false;  // not all of the snapshot's particles were loaded
  int copies = 1;     // of a periodic box, along each axis (--replicate)
  compute::Device device;
  std::uint64_t gpu_memory_bytes = 0;  // 0: what the GPU has free
  // Of which each has a part of the particles, and which search together; null: this process alone.
  compute::Ranks* ranks = nullptr;
};

// Of each type without lengths of its own, for each particle the distance to the k-th nearest other
// one of the type, across the edges of a periodic box: the radius where the kernel ends, as all
// lengths in the program. (Of at most k particles: to the farthest, times the cube root of k over
// their number.) Particles at one point get 0, for which the renderer takes its smallest.
//
// What was found is kept for the next run where it belongs to all of the snapshot's particles and
// these are so many that a search takes longer than reading. Lengths in a region or a sample are
// those among its own particles and neither read nor kept, so that a picture does not hang on what
// ran before; at a region's faces they are too long by up to 2^(1/3), at its corners by 2.
class SmoothingLengths {
 public:
  explicit SmoothingLengths(LengthsChoice choice) : choice_(std::move(choice)) {}

  // Reads or searches. A type whose tree would not fit into the memory that is free is left to the
  // renderer. Of several ranks all call it, each with its particles, of which it gets the lengths.
  // Throws Error for a number of neighbors that cannot be asked for, and Cancelled.
  void find(const SnapshotInfo& info, const ParticleSet& particles, Progress& progress);

  // Of a type by its place in the set, in file order; empty where it has its own or gets none here,
  // and where this rank has no particles of it.
  const Array<float>& of(std::size_t k) const { return types_.at(k).lengths; }
  // Whether some rank has got lengths of a type here.
  bool has(std::size_t k) const { return types_.at(k).found; }
  // Of the same, how its lengths were come by; empty where it has its own.
  const std::string& sentence(std::size_t k) const { return types_.at(k).sentence; }

  // Whether something was searched for that is worth keeping.
  bool has_unwritten() const;
  // Writes that. Returns what became of it in a sentence. Of several ranks all call it: the first
  // one gets all lengths for that, 4 bytes a particle, if it has room, and the others return
  // nothing.
  std::string keep(Progress& progress) const;

 private:
  struct Type {
    Array<float> lengths;
    std::string sentence;
    io::LengthsKey key;
    bool found = false, unwritten = false;
  };

  using Rows = compute::PartOfRows;

  void find_type(const Domain& domain, const ParticleColumns& columns, const Rows& rows, Type& type,
                 Progress& progress);
  compute::Ranks& ranks() const { return compute::ranks_or_alone(choice_.ranks); }
  bool all_ranks(bool own) const;
  void agree_on_places();
  bool read_kept(const Rows& rows, Type& type) const;
  std::uint64_t searched(std::uint64_t count) const;
  std::string write(const std::vector<io::KeptLengths>& found, Progress& progress) const;
  Array<float> search(const Domain& domain, const ParticleColumns& columns, const Rows& rows,
                      Progress& progress) const;

  LengthsChoice choice_;
  std::vector<io::LengthsPlace> places_;
  std::vector<Type> types_;
};

}  // namespace haloscope::analysis
