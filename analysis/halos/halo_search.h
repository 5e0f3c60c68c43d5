#pragma once

#include "compute/halos/halo_finder.h"
#include "compute/halos/substructure.h"
#include "core/particles.h"
#include "core/progress.h"
#include "core/timings.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

struct HaloSearchRequest {
  std::vector<std::string> types;   // linked; empty: dark matter, or what there is most of
  std::vector<std::string> attach;  // to the halos of the nearest linked particles
  double spacings = 0.2;            // linking length in mean spacings of the linked particles
  std::optional<double> epsilon;    // the same in the file's own lengths, in place of it
  int min_points = 2;
  std::uint64_t min_members = 32;
  compute::clusters::Algorithm algorithm = compute::clusters::Algorithm::Auto;
  std::string device = "auto";      // "cpu", "cuda"
  std::optional<double> softening;  // of gravity, Plummer equivalent, in the file's own lengths

  // A second search inside the halos, where one of these two is given; as those above.
  std::optional<double> sub_spacings, sub_epsilon;
  std::optional<int> sub_min_points;             // default: as the halos
  std::optional<std::uint64_t> sub_min_members;  // default: 20
  std::optional<std::uint64_t> sub_halos;        // of so many halos, the largest; default: all

  bool list_members = true;  // the catalog will: counted where memory is asked for
  bool wants_substructure() const { return sub_spacings || sub_epsilon; }
};

// What was found: halo h has the rows members.run(h, k, …) of
// particles.types[k].
struct HaloSearch {
  // With masses and, where the file has them, velocities: peculiar ones in code units.
  // The linked types, those attached to them, and those that lie around: these have positions and
  // masses alone, for spheres.
  ParticleSet particles;
  std::vector<int> linked, attached;  // numbers of types; particles.types lacks empty ones
  compute::halos::HaloMembership members;
  std::optional<compute::halos::Substructure> substructure;
  double linking_length = 0;  // in the file's own lengths
  double softening = 0;       // the same; 0: not known
  std::string device;
  std::uint64_t peak_device_memory = 0;  // bytes
  Timings timings;
  std::vector<std::string> said;       // sentences: what was taken for granted
  std::vector<std::string> from_file;  // sentences: what was not, but is good to know

  // Whether halos may have members of a type.
  bool has_members(int type) const;
};

// Reads what the search and the spheres need and finds the halos. Throws Error in the user's words;
// before anything is read where the host has not enough memory for all that follows, or the device
// for the search.
HaloSearch search_halos(const io::SnapshotReader& reader, const HaloSearchRequest& request,
                        Progress& progress);

// Fewest members of a cluster inside a halo.
std::uint64_t sub_min_members(const HaloSearchRequest& request);

// "auto", "fdbscan", "densebox", "grid".
compute::clusters::Algorithm parse_algorithm(const std::string& option, const std::string& text);

// Name of the field that holds velocities of a type; empty: none.
std::string velocity_field(const TypeInfo& type);

}  // namespace haloscope::analysis
