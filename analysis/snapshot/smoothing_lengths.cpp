#include "analysis/snapshot/smoothing_lengths.h"

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

// Each rank finds a share of them, and gets all.
Array<float> distances(Neighbors& neighbors, const Positions& positions, std::uint64_t count,
                       int wanted, double step, compute::Ranks& ranks, Progress& progress) {
  progress.report("neighbor tree", 0);
  neighbors.set_points(positions, count);
  const int k = used(wanted, count);
  Array<float> found = neighbors.kth_distance(k, step * std::cbrt(double(wanted) / k), progress, 0,
                                              {ranks.rank(), ranks.size()});
  ranks.all_reduce(std::span<float>(found.data(), found.size()),
                   [](float a, float b) { return std::max(a, b); });
  return found;
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
  for (std::size_t k = 0; k < types_.size(); ++k)
    if (particles.types[k].support_radius.empty() && particles.types[k].count > 1)
      find_type(particles.domain, particles.types[k], types_[k], progress);
}

void SmoothingLengths::find_type(const Domain& domain, const ParticleColumns& columns, Type& type,
                                 Progress& progress) {
  const bool worth_keeping = !places_.empty() && columns.count >= kWorthKeeping;
  const int nearest = used(choice_.neighbors, searched(columns.count));
  type.sentence = fmt::format(
      "{} {} particles have no smoothing length in the file: it is {}the distance to the {} "
      "nearest other one of them{}",
      columns.count, columns.name,
      nearest < choice_.neighbors
          ? fmt::format("{:.2f} times ", std::cbrt(double(choice_.neighbors) / nearest))
          : std::string(),
      ordinal(nearest),
      nearest < choice_.neighbors ? fmt::format(", for want of {} others", choice_.neighbors)
                                  : std::string());
  if (worth_keeping) {
    type.key = io::lengths_key(domain, columns, choice_.neighbors);
    if (read_kept(type)) return;
  }
  const auto neighbors = compute::spatial::make_neighbors(choice_.device);
  const std::uint64_t bytes = searched(columns.count) * Neighbors::kBytesPerPoint;
  const bool within_budget =
      !neighbors->on_gpu() || choice_.gpu_memory_bytes == 0 || bytes <= choice_.gpu_memory_bytes;
  if (!all_ranks(within_budget && neighbors->can_hold(searched(columns.count)))) {
    type.sentence = fmt::format(
        "The neighbors of {} {} particles are not searched for: {} are needed, more than {}.",
        columns.count, columns.name, bytes_in_words(bytes),
        within_budget ? "is free" : "--gpu-memory allows");
    return;
  }
  type.lengths = search(*neighbors, domain, columns, progress);
  type.unwritten = worth_keeping;
}

// As many places on each rank, whatever their environments say, so that all ask as often.
void SmoothingLengths::agree_on_places() {
  const std::uint64_t own = places_.size();
  const std::vector<std::uint64_t> all =
      compute::ranks_or_alone(choice_.ranks).all_gather<std::uint64_t>(std::span(&own, 1));
  places_.resize(std::size_t(*std::min_element(all.begin(), all.end())));
}

// Whether it is so on all of them.
bool SmoothingLengths::all_ranks(bool own) const {
  compute::Ranks& ranks = compute::ranks_or_alone(choice_.ranks);
  return ranks.sum(int(own)) == ranks.size();
}

bool SmoothingLengths::read_kept(Type& type) const {
  for (const auto& [path, in_cache] : places_)
    if (auto kept = io::read_lengths(path, type.key); all_ranks(kept.has_value())) {
      type.lengths = std::move(*kept);
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

Array<float> SmoothingLengths::search(Neighbors& neighbors, const Domain& domain,
                                      const ParticleColumns& columns, Progress& progress) const {
  const std::uint64_t one = searched(columns.count);
  compute::Ranks& ranks = compute::ranks_or_alone(choice_.ranks);
  if (one == columns.count)
    return distances(neighbors, positions_of(columns), one, choice_.neighbors, domain.step(), ranks,
                     progress);
  // Multiplied, the coordinates in the first copy wrap around as its own box does.
  std::array<Array<std::uint32_t>, 3> first;
  for (std::size_t a = 0; a < 3; ++a) {
    first[a] = Array<std::uint32_t>(one);
    for (std::uint64_t i = 0; i < one; ++i)
      first[a][i] = columns.position[a][i] * std::uint32_t(choice_.copies);
  }
  const Array<float> of_one =
      distances(neighbors, {first[0].data(), first[1].data(), first[2].data()}, one,
                choice_.neighbors, domain.step() / choice_.copies, ranks, progress);
  Array<float> all(columns.count);
  for (std::uint64_t at = 0; at < columns.count; at += one)
    std::copy(of_one.begin(), of_one.end(), all.data() + at);
  return all;
}

bool SmoothingLengths::has_unwritten() const {
  return std::any_of(types_.begin(), types_.end(), [](const Type& type) { return type.unwritten; });
}

std::string SmoothingLengths::keep(Progress& progress) const {
  std::vector<io::KeptLengths> found;
  std::uint64_t bytes = 0;
  for (const Type& type : types_)
    if (type.unwritten) {
      found.push_back({type.key, type.lengths.data()});
      bytes += type.lengths.size() * sizeof(float);
    }
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
