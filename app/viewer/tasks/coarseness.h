#pragma once

#include "compute/splotch/settings.h"
#include "core/timings.h"

#include <compare>
#include <map>
#include <optional>
#include <vector>

namespace haloscope::app::viewer {

// How much of a picture is drawn.
struct Coarseness {
  int sample = 1;   // one of so many particles, with their light
  int divisor = 1;  // 1/divisor of the width and of the height
  bool full() const { return sample == 1 && divisor == 1; }
  auto operator<=>(const Coarseness&) const = default;
};

// What a picture took, by what that grows with; ms.
struct PictureCost {
  double particles = 0;  // with the particles that are drawn
  double splats = 0;     // with the pixels that their splats cover
  double pixels = 0;     // with the picture's own pixels
  double fixed = 0;
  double total() const { return particles + splats + pixels + fixed; }
};

// From the phases of a frame, and what all else took of a picture's pixels (its tone curve).
PictureCost cost_of(const Timings& frame, const compute::splotch::Counts& counts, double pixels_ms);

// The cost at another coarseness.
PictureCost predict(const PictureCost& cost, const Coarseness& at, const Coarseness& to);

// What is to be seen in full: on it depends how well a sample stands for it.
struct InView {
  double particles = 1, pixels = 1;
  // Which samples may be drawn; none: all there are.
  std::vector<int> samples = {};
};

// How much worse a picture looks for being coarse, 0: not at all. Each halving of the particles
// counts 1 where particles outnumber pixels, and 2 where grain shows that some are missing; each
// halving of both sides counts a little more than 2, for the pixels lost.
double loss(const Coarseness& c, const InView& in_view);

// Chooses how coarse the next picture is, so that it takes a time that is given; in full where that
// fits. Learns from each picture that was drawn.
class Coarsening {
 public:
  // Of a picture of a moving camera: about as long as the display shows it, ms.
  static constexpr double kBudget = 16;
  // Of the first picture in other colors: no phase of the picture counts the cut and the coloring,
  // which take the rest of a display's 17 ms for 134 M particles on an H200.
  static constexpr double kBudgetRecolored = 6;

  // For a picture that may take so many ms; in full before anything was learnt.
  Coarseness next(double budget);
  void learn(const Coarseness& drawn, const PictureCost& cost, const InView& in_view);

 private:
  struct Lesson {
    Coarseness drawn;
    PictureCost cost;
    InView in_view;
  };
  double expected(const Lesson& lesson, const Coarseness& to) const;
  void correct(const Coarseness& drawn, double milliseconds);

  std::optional<Lesson> last_;
  Coarseness next_;
  std::map<double, Coarseness> last_for_;  // each budget, since a picture was drawn in full
  double expected_ = 0;  // of the next picture where it is of another coarseness, ms; 0: it is not
  // By how much pictures took longer than was expected of them: a sample that must be cut from all
  // particles costs more than its part. Forgotten by and by, for views change; the slower, the more
  // often it proved true.
  struct Correction {
    double factor = 1;
    double forgotten = 1;
  };
  std::map<Coarseness, Correction> corrections_;
};

}  // namespace haloscope::app::viewer
