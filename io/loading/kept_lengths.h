#pragma once

#include "core/array.h"
#include "core/particles.h"
#include "core/progress.h"
#include "core/snapshot_info.h"
#include "io/snapshot_reader.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Smoothing lengths that were searched for once, kept in a file. Nothing is
// lost with the file but the time to search again; no fault of it is ever an error.
namespace haloscope::io {

// Whose lengths they are, and as how many neighbors are to be inside. The checksum is over every
// position, so that lengths of other particles cannot be taken for these, whatever happened to the
// snapshot's name and dates; a copy of a snapshot and its lengths stays good. Known weakness: types
// without a box are in a domain that hangs on which of them are loaded together, so that lengths
// found for one alone are searched for again beside others.
struct LengthsKey {
  std::int32_t type = 0;
  std::int32_t neighbors = 0;
  std::uint64_t count = 0;
  double origin[3]{}, side = 0;
  std::uint64_t periodic = 0;
  std::uint64_t positions = 0;  // checksum

  bool operator==(const LengthsKey&) const = default;
};

LengthsKey lengths_key(const Domain& domain, const ParticleColumns& columns, int neighbors);

// A checksum is of the sums of blocks of so many values of 4 bytes, so that several processes can
// sum a part of them each.
constexpr std::uint64_t kSummedTogether = 1 << 16;
std::vector<std::uint64_t> block_sums(const void* values, std::uint64_t count);
// The same key, without columns: `sums` are those of all blocks of the coordinates along each axis.
LengthsKey lengths_key(const Domain& domain, int type, int neighbors, std::uint64_t count,
                       const std::array<std::vector<std::uint64_t>, 3>& sums);

// What names of files that keep lengths end on.
constexpr const char* kKeptLengthsEnding = ".haloscope-lengths";

// Where the user wants them: beside the snapshot, in the user's cache folder, or not at all.
enum class KeepLengths { Beside, Cache, Nowhere };

struct LengthsPlace {
  std::string path;
  bool in_cache = false;
};

// Where lengths of a snapshot are looked for, the place that the user wants first:
// FILE.haloscope-lengths beside its (first) file, and one in $XDG_CACHE_HOME/haloscope (~/.cache),
// where there is such a folder. None: nowhere.
std::vector<LengthsPlace> lengths_places(const SnapshotInfo& info, KeepLengths keep);

// What a file keeps for a key, in file order; nothing where it has none, is of another version,
// cut off or damaged.
std::optional<Array<float>> read_lengths(const std::string& path, const LengthsKey& key);

// Some of that, which may be damaged: it is right where the sums of all blocks make the checksum.
struct LengthsOfRows {
  Array<float> lengths;
  std::vector<std::uint64_t> sums;        // of the blocks that begin in these rows
  std::uint64_t count = 0, checksum = 0;  // of all lengths

  bool is_right(const std::vector<std::uint64_t>& sums_of_all) const;
};
std::optional<LengthsOfRows> read_lengths_of(const std::string& path, const LengthsKey& key,
                                             RowRange rows);

struct KeptLengths {
  LengthsKey key;
  const float* lengths = nullptr;
};

// Writes them whole or not at all, each in place of that for the same type and number of neighbors;
// what the file keeps of other types stays. Of a type it keeps those of two numbers of neighbors,
// the last written ones, as long as they are of the same positions: to look at both in turn costs
// no search, and the file takes 8 bytes a particle. Throws Error where the file cannot be written.
void write_lengths(const std::string& path, const std::vector<KeptLengths>& kept,
                   Progress& progress);

}  // namespace haloscope::io
