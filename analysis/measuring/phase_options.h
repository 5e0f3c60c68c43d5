#pragma once

#include "analysis/option_parsing/option_about.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// How bins of a field are spaced. Auto: by logarithms where all values are above 0 and the largest
// is more than a hundred times the smallest.
enum class BinScale { Auto, Linear, Log };

// What a histogram of one or two fields is asked for.
struct PhaseOptions {
  std::string x, y;             // fields; both empty: density and temperature of gas
  std::string weight = "mass";  // "mass", "count" or a field
  std::string bins;             // "NX" or "NX,NY"
  BinScale x_scale = BinScale::Auto, y_scale = BinScale::Auto;
  std::string range_x, range_y;    // "LOW,HIGH"
  std::vector<std::string> types;  // empty: those that have the fields

  bool operator==(const PhaseOptions&) const = default;
};

// Along an axis; 64 of a single axis.
inline constexpr std::size_t kUsualPhaseBins = 128, kUsualHistogramBins = 64;
inline constexpr std::size_t kMostPhaseBins = 2048;

// Every option, said once; see analysis/halos/halo_options.h.
template <class V>
void visit(V& v, PhaseOptions& o) {
  const OptionWords<BinScale> scales{
      {"auto", BinScale::Auto}, {"linear", BinScale::Linear}, {"log", BinScale::Log}};
  v.text("x", o.x,
         {.value = "FIELD",
          .help = "The field along x; default: the density of gas",
          .label = "x",
          .empty = "auto"});
  v.text("y", o.y,
         {.value = "FIELD",
          .help = "The field along y; without it and with --x a histogram of one field; default: "
                  "the temperature of gas",
          .label = "y",
          .empty = "none"});
  v.text("weight", o.weight,
         {.value = "mass|count|FIELD",
          .help = "What is summed in each bin; default: mass",
          .label = "Weight",
          .empty = "mass"});
  v.text("bins", o.bins,
         {.value = "NX[,NY]",
          .help = "Bins along the axes; default: 128, of one field 64",
          .label = "Bins",
          .empty = "auto"});
  v.choice("x_scale", o.x_scale, scales,
           {.value = "auto|linear|log",
            .help = "How bins are spaced; auto: log where values are above 0 and differ by more "
                    "than 100 times",
            .label = "x scale"});
  v.choice("y_scale", o.y_scale, scales,
           {.value = "auto|linear|log", .help = "The same of y", .label = "y scale"});
  v.text("range_x", o.range_x,
         {.value = "LOW,HIGH",
          .help = "The first and the last edge along x, in the field's unit; default: all values",
          .label = "x range",
          .empty = "auto"});
  v.text("range_y", o.range_y,
         {.value = "LOW,HIGH", .help = "The same of y", .label = "y range", .empty = "auto"});
  v.types("types", o.types,
          {.value = "gas,dm,…|0,1,…",
           .help = "Particle types; default: gas without --x, else all that have the fields",
           .label = "Types",
           .empty = "auto",
           .hint = "all with the fields"});
}

// Throws OptionError for values that no histogram can be asked for, whatever the snapshot.
void check_options(const PhaseOptions& options);

// Bins along x and y; throws OptionError. Of one field the second number is 1.
std::array<std::size_t, 2> phase_bins(const PhaseOptions& options, bool of_two);

}  // namespace haloscope::analysis
