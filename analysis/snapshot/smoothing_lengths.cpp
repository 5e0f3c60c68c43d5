#include "analysis/snapshot/smoothing_lengths.h"

#include "analysis/snapshot/places_of_ranks.h"
#include "analysis/snapshot/sums_over_ranks.h"
#include "compute/distributed/kth_distances.h"
#include "compute/exec/mpi/rank_watch.h"
#include "compute/spatial/neighbors.h"
#include "core/error.h"
#include "core/text_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace haloscope::analysis {

namespace {

using compute::spatial::Neighbors;

// Two cores search as many in 0.2 s.
constexpr std::uint64_t kWorthKeeping = 1u << 16;
constexpr std::uint64_t kFewInBox = 1000;
// A home folder is no place for more.
constexpr std::uint64_t kMostInCache = std::uint64_t(1) << 30;

using Positions = std::array<const std::uint32_t*, 3>;

// 1st, 2nd, 3rd, 4th, …, 11th, …, 21st
std::string ordinal(int n) {
  static const char* const endings[] = {"th", "st", "nd", "rd"};
  const bool regular = n % 10 > 3 || n / 10 % 10 == 1;
  return std::to_string(n) + endings[regular ? 0 : n % 10];
}

Positions positions_of(const ParticleColumns& columns) {
  return {columns.position[0].data(), columns.position[1].data(), columns.position[2].data()};
}

// An error in writing ends in what to do about an output that the user named, which this is not.
std::string without_remedy(const std::string& message) {
  return message.substr(0, message.rfind("; "));
}

// Fewer where there are not so many others.
int used(int wanted, std::uint64_t count) {
  return int(std::min<std::uint64_t>(std::uint64_t(wanted), count - 1));
}

// All of them on the first rank.
LargeVector<float> gathered(compute::Ranks& ranks, const Array<float>& own) {
  std::vector<std::uint64_t> counts(std::size_t(ranks.size()), 0), received;
  counts.front() = own.size();
  return ranks.exchange_many<float>(std::span(own.data(), own.size()), counts, received);
}

Array<float> distances(compute::Ranks& ranks, compute::Device device, const Positions& positions,
                       std::uint64_t count, int k, double step, Progress& progress) {
  if (ranks.size() > 1)
    return compute::distributed::kth_distances(ranks, device, {positions, count}, k, step,
                                               progress);
  const auto neighbors = compute::spatial::make_neighbors(device);
  progress.report("neighbor tree", 0);
  neighbors->set_points(positions, count);
  return neighbors->kth_distance(k, step, progress);
}

}  // namespace

void SmoothingLengths::find(const SnapshotInfo& info, const ParticleSet& particles,
                            Progress& progress) {
  types_.clear();
  types_.resize(particles.types.size());
  if (choice_.neighbors < 0 || choice_.neighbors > Neighbors::kMostNeighbors)
    throw Error(fmt::format("{} is not a number of neighbors from 0 to {}", choice_.neighbors,
                            Neighbors::kMostNeighbors),
                "--neighbors");
  // Copies have coordinates of their own, rounded anew: they would take the snapshot's place.
  if (!choice_.part && choice_.copies == 1) places_ = io::lengths_places(info, choice_.keep);
  agree_on_places();
  if (choice_.neighbors == 0) return;
  for (std::size_t k = 0; k < types_.size(); ++k) {
    const ParticleColumns& columns = particles.types[k];
    if (has_lengths(ranks(), columns)) continue;
    const Rows rows(ranks(), columns.count);
    if (rows.total() > 1) find_type(particles.domain, columns, rows, types_[k], progress);
  }
}

void SmoothingLengths::find_type(const Domain& domain, const ParticleColumns& columns,
                                 const Rows& rows, Type& type, Progress& progress) {
  const std::uint64_t count = rows.total();
  const bool worth_keeping = !places_.empty() && count >= kWorthKeeping;
  const int nearest = used(choice_.neighbors, searched(count));
  type.sentence = fmt::format(
      "{} {} particles have no smoothing length in the file: it is {}the distance to the {} "
      "nearest other one of them{}",
      count, columns.name,
      nearest < choice_.neighbors
          ? fmt::format("{:.2f} times ", std::cbrt(double(choice_.neighbors) / nearest))
          : std::string(),
      ordinal(nearest),
      nearest < choice_.neighbors ? fmt::format(", for want of {} others", choice_.neighbors)
                                  : std::string());
  if (worth_keeping) {
    type.key = key_over_ranks(rows, domain, columns, choice_.neighbors);
    if (read_kept(rows, type)) return;
  }
  // Of ranks the one with most has some percent more than its share.
  const std::uint64_t largest =
      ranks().size() == 1
          ? searched(count)
          : std::min(count, searched(count) / std::uint64_t(ranks().size()) * 5 / 4);
  const auto neighbors = compute::spatial::make_neighbors(choice_.device);
  const std::uint64_t sharing = ranks().size() == 1 ? 1 : compute::ranks_of_this_machine(ranks());
  const std::uint64_t bytes = largest * Neighbors::kBytesPerPoint;
  const bool within_budget =
      !neighbors->on_gpu() || choice_.gpu_memory_bytes == 0 || bytes <= choice_.gpu_memory_bytes;
  const bool has_room =
      neighbors->can_hold(largest) && (neighbors->on_gpu() || has_host_memory(sharing * bytes));
  if (!all_ranks(within_budget && has_room)) {
    type.sentence = fmt::format(
        "The neighbors of {} {} particles are not searched for: {} are needed, more than {}.",
        count, columns.name, bytes_in_words(bytes),
        within_budget ? "is free" : "--gpu-memory allows");
    return;
  }
  type.lengths = search(domain, columns, rows, progress);
  type.found = true;
  type.unwritten = worth_keeping;
}

// As many places on each rank, whatever their environments say, so that all ask as often.
void SmoothingLengths::agree_on_places() {
  const std::uint64_t own = places_.size();
  const std::vector<std::uint64_t> all = ranks().all_gather<std::uint64_t>(std::span(&own, 1));
  places_.resize(std::size_t(*std::min_element(all.begin(), all.end())));
}

// Whether it is so on all of them.
bool SmoothingLengths::all_ranks(bool own) const {
  return ranks().sum(int(own)) == ranks().size();
}

bool SmoothingLengths::read_kept(const Rows& rows, Type& type) const {
  for (const auto& [path, in_cache] : places_) {
    auto kept = io::read_lengths_of(path, type.key, {rows.first(), rows.first() + rows.count()});
    if (!all_ranks(kept.has_value())) continue;
    if (!all_ranks(kept->is_right(ranks().all_gather<std::uint64_t>(kept->sums)))) continue;
    type.lengths = std::move(kept->lengths);
    type.found = true;
    type.sentence += ", as kept in " + path;
    return true;
  }
  return false;
}

// Each copy of a box has the lengths of the first; with few particles neighbors may be copies of
// the particle itself.
std::uint64_t SmoothingLengths::searched(std::uint64_t count) const {
  const auto copies = std::uint64_t(choice_.copies);
  const std::uint64_t one = count / (copies * copies * copies);
  return choice_.part || one < kFewInBox || one * copies * copies * copies != count ? count : one;
}

Array<float> SmoothingLengths::search(const Domain& domain, const ParticleColumns& columns,
                                      const Rows& rows, Progress& progress) const {
  const std::uint64_t one = searched(rows.total());
  const int k = used(choice_.neighbors, one);
  const double longer = std::cbrt(double(choice_.neighbors) / k);
  if (one == rows.total())
    return distances(ranks(), choice_.device, positions_of(columns), columns.count, k,
                     domain.step() * longer, progress);
  // Multiplied, the coordinates in the first copy wrap around as its own box does.
  const std::uint64_t own = std::min(rows.count(), one - std::min(one, rows.first()));
  std::array<Array<std::uint32_t>, 3> first;
  for (std::size_t a = 0; a < 3; ++a) {
    first[a] = Array<std::uint32_t>(own);
    for (std::uint64_t i = 0; i < own; ++i)
      first[a][i] = columns.position[a][i] * std::uint32_t(choice_.copies);
  }
  const Array<float> found =
      distances(ranks(), choice_.device, {first[0].data(), first[1].data(), first[2].data()}, own,
                k, domain.step() / choice_.copies * longer, progress);
  const std::vector<float> of_one =
      ranks().all_gather<float>(std::span<const float>(found.data(), found.size()));
  Array<float> lengths(rows.count());
  for (std::uint64_t i = 0, at = rows.first() % one; i < rows.count(); ++i) {
    lengths[i] = of_one[at];
    if (++at == one) at = 0;
  }
  return lengths;
}

bool SmoothingLengths::has_unwritten() const {
  return std::any_of(types_.begin(), types_.end(), [](const Type& type) { return type.unwritten; });
}

std::string SmoothingLengths::keep(Progress& progress) const {
  std::uint64_t bytes = 0;
  for (const Type& type : types_)
    if (type.unwritten) bytes += type.key.count * sizeof(float);
  const bool several = ranks().size() > 1;
  int room = several && ranks().first() ? int(has_host_memory(bytes)) : 1;
  if (several) ranks().broadcast(&room, sizeof room);
  if (!room)
    return ranks().first() ? "The smoothing lengths are not kept for the next run: the first rank "
                             "has no room for those of all."
                           : "";
  std::vector<io::KeptLengths> found;
  std::vector<LargeVector<float>> of_all(types_.size());
  for (std::size_t k = 0; k < types_.size(); ++k) {
    const Type& type = types_[k];
    if (!type.unwritten) continue;
    if (several) of_all[k] = gathered(ranks(), type.lengths);
    found.push_back({type.key, several ? of_all[k].data() : type.lengths.data()});
  }
  return ranks().first() ? write(found, progress) : "";
}

std::string SmoothingLengths::write(const std::vector<io::KeptLengths>& found,
                                    Progress& progress) const {
  std::uint64_t bytes = 0;
  for (const io::KeptLengths& one : found) bytes += one.key.count * sizeof(float);
  std::string why;
  const bool wants_cache = choice_.keep == io::KeepLengths::Cache;
  for (const auto& [path, in_cache] : places_) {
    // Nobody has asked for a file in the cache folder where it is the second place, and who wants
    // the cache folder wants no file beside the snapshot.
    if (in_cache != wants_cache && (wants_cache || bytes > kMostInCache)) break;
    try {
      std::error_code ignored;  // then the writing fails, and says why
      if (in_cache)
        std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
      io::write_lengths(path, found, progress);
      return fmt::format("Kept the smoothing lengths for the next run in {} ({}).", path,
                         bytes_in_words(bytes));
    } catch (const Error& error) {
      if (why.empty()) why = without_remedy(error.what());
    } catch (const Cancelled&) {
      // The picture is there already: a command that is stopped now has done its work.
      return "The smoothing lengths are not kept for the next run: stopped.";
    }
  }
  if (why.empty()) why = "there is no cache folder, for neither XDG_CACHE_HOME nor HOME is set";
  return "The smoothing lengths are not kept for the next run: " + why +
         "; --no-cache leaves out the attempt.";
}

}  // namespace haloscope::analysis
