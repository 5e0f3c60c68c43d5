#pragma once

#include "analysis/option_parsing/option_about.h"
#include "compute/clusters/clustering.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// What a search for halos is asked, by the command line, the window and saved states alike.
struct HaloOptions {
  std::vector<std::string> types;   // linked; empty: dark matter, or what there is most of
  std::vector<std::string> attach;  // to the halos of the nearest linked particles
  double spacings = 0.2;            // linking length in mean spacings of the linked particles
  std::optional<double> epsilon;    // the same in the file's own lengths, in place of it
  int min_points = 2;
  std::uint64_t min_members = 32;

  // A second search inside the halos, where one of these two is given; as those above.
  std::optional<double> sub_spacings, sub_epsilon;
  std::optional<int> sub_min_points;             // default: as the halos
  std::optional<std::uint64_t> sub_min_members;  // default: 20
  std::optional<std::uint64_t> sub_halos;        // of so many halos, the largest; default: all

  compute::clusters::Algorithm algorithm = compute::clusters::Algorithm::Auto;
  std::optional<double> softening;  // of gravity, Plummer equivalent, in the file's own lengths

  bool wants_substructure() const { return sub_spacings || sub_epsilon; }
  // Of a cluster inside a halo.
  int sub_points() const { return sub_min_points.value_or(min_points); }
  std::uint64_t sub_members() const { return sub_min_members.value_or(20); }
  bool operator==(const HaloOptions&) const = default;
};

// Every option, said once: `visit` calls the visitor with each. Visitors make of them flags of the
// command line, arguments of commands, fields of states, widgets and what a catalog says.
template <class V>
void visit(V& v, HaloOptions& o) {
  using compute::clusters::Algorithm;
  v.types("types", o.types,
          {.value = "dm,…|1,…",
           .help = "Particles that are linked; default: dark matter",
           .label = "Types",
           .empty = "auto",
           .hint = "dark matter"});
  v.types("attach", o.attach,
          {.value = "gas,stars,…|0,4,…",
           .help = "Particles that join the halo of the linked particle nearest to them",
           .label = "Attach",
           .empty = "none"});
  v.positive("linking_length", o.spacings,
             {.value = "B",
              .help = "In mean spacings of the linked particles; default: 0.2",
              .label = "Linking length",
              .usual = 1,
              .state_name = "spacings",
              .catalog_name = "linking length in mean spacings"});
  v.length("epsilon", o.epsilon,
           {.value = "LENGTH",
            .help = "The linking length in the file's own lengths",
            .label = "Linking length",
            .instead_of = "linking_length"});
  v.count("min_points", o.min_points, 2,
          {.help = "DBSCAN's minPts, the particle itself counted; 2 is friends-of-friends",
           .label = "minPts",
           .usual = 3,
           .catalog_name = "minimum points"});
  v.count("min_members", o.min_members, 1,
          {.help = "Fewest particles of a halo, all types counted; default: 32",
           .label = "Min. members",
           .usual = 2,
           .catalog_name = "minimum members"});
  v.positive("sub_linking_length", o.sub_spacings,
             {.value = "B",
              .help = "Search again inside the halos, by this shorter length",
              .label = "Length inside",
              .catalog_name = "substructure linking length in mean spacings"});
  v.length("sub_epsilon", o.sub_epsilon,
           {.value = "LENGTH",
            .help = "The same in the file's own lengths",
            .label = "Length inside",
            .instead_of = "sub_linking_length",
            .catalog_name = "substructure linking length"});
  v.count("sub_min_points", o.sub_min_points, 2,
          {.help = "Its minPts; default: as the halos",
           .label = "minPts inside",
           .catalog_name = "substructure minimum points"});
  v.count("sub_min_members", o.sub_min_members, 1,
          {.help = "Fewest particles of a cluster inside a halo; default: 20",
           .label = "Members inside",
           .catalog_name = "substructure minimum members"});
  v.count("sub_halos", o.sub_halos, 0,
          {.help = "Search in so many of the largest halos; default: all",
           .label = "Halos searched",
           .catalog_name = "substructure searched halos"});
  v.choice("algorithm", o.algorithm,
           {{"auto", Algorithm::Auto},
            {"fdbscan", Algorithm::FdbScan},
            {"densebox", Algorithm::DenseBox},
            {"grid", Algorithm::Grid}},
           {.value = "auto|fdbscan|densebox|grid",
            .help = "All give the same halos; auto: the fastest",
            .label = "Algorithm"});
  v.length("softening", o.softening,
           {.value = "LENGTH",
            .help = "Of gravity, Plummer equivalent, in the file's own lengths; default: what the "
                    "snapshot notes",
            .label = "Softening"});
}

// Throws OptionError for a value that no search can be asked for, whatever the snapshot.
void check_options(const HaloOptions& options);

}  // namespace haloscope::analysis
