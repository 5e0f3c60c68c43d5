#include "app/viewer/tasks/coarseness.h"

#include "tests/catch.h"

namespace haloscope::app::viewer {

namespace {

// A machine that takes exactly what a picture of everything takes, by its parts.
struct Machine {
  PictureCost full;
  InView in_view{1e8, 2e6};
  double budget = Coarsening::kBudget;
  double cut = 0;  // ms more for samples that are not kept but cut from all particles

  PictureCost cost(const Coarseness& c) const {
    PictureCost cost = predict(full, {}, c);
    if (c.sample > 1 && c.sample < 8) cost.fixed += cut;
    return cost;
  }
  // The coarseness after so many pictures.
  Coarseness settle(Coarsening& coarsening, int pictures = 30) const {
    for (int k = 0; k < pictures; ++k) {
      const Coarseness drawn = coarsening.next(budget);
      coarsening.learn(drawn, cost(drawn), in_view);
    }
    return coarsening.next(budget);
  }
};

}  // namespace

TEST_CASE("a picture that is fast enough is drawn in full while the camera moves", "[window]") {
  Coarsening coarsening;
  CHECK(Machine{{5, 3, 2, 1}}.settle(coarsening).full());
}

TEST_CASE("many particles are sampled, wide splats drawn on fewer pixels", "[window]") {
  Coarsening many;
  CHECK(Machine{{60, 2, 2, 0.1}}.settle(many) == Coarseness{8, 1});
  // Ten thousand particles over two million pixels: each that is left out is missed.
  Coarsening wide;
  CHECK(Machine{{0.5, 50, 2, 0.1}, {1e4, 2e6}}.settle(wide) == Coarseness{1, 2});
}

TEST_CASE("the picture of a moving camera fits the budget, and no finer one would", "[window]") {
  for (const double ms : {20., 50., 200., 900.})
    for (const double splats : {0., 0.5, 1.}) {
      const Machine machine{{ms * (1 - splats), ms * splats, 3, 0.2}};
      Coarsening coarsening;
      const Coarseness c = machine.settle(coarsening);
      INFO(ms << " ms, " << splats << " of it for splats: 1 of " << c.sample << ", 1/"
              << c.divisor);
      CHECK(machine.cost(c).total() <= Coarsening::kBudget);
      CHECK_FALSE(c.full());
      // Settled: it stays so.
      CHECK(machine.settle(coarsening, 1) == c);
      const Coarseness finer{c.sample > 1 ? c.sample / 2 : 1,
                             c.sample > 1 ? c.divisor : c.divisor / 2};
      CHECK(machine.cost(finer).total() > 0.5 * Coarsening::kBudget);
    }
}

TEST_CASE(
    "the first picture in other colors is coarser, and those of a moving camera stay as they are",
    "[window]") {
  // One of eight particles fits the budget barely: a camera that comes from a heavier view keeps to
  // one of 16.
  const Machine moving{{100, 2, 2, 0.1}};
  Machine recolored = moving;
  recolored.budget = Coarsening::kBudgetRecolored;
  for (const double before : {100., 180.}) {
    Coarsening coarsening;
    Machine{{before, 2, 2, 0.1}}.settle(coarsening);
    const Coarseness fine = moving.settle(coarsening);
    CHECK(fine == Coarseness{before > 100 ? 16 : 8, 1});
    for (int k = 0; k < 5; ++k) {
      const Coarseness coarse = coarsening.next(recolored.budget);
      CHECK(recolored.cost(coarse).total() <= recolored.budget);
      CHECK(loss(coarse, moving.in_view) > loss(fine, moving.in_view));
      coarsening.learn(coarse, recolored.cost(coarse), recolored.in_view);
      CHECK(coarsening.next(moving.budget) == fine);
    }
    CHECK(moving.settle(coarsening) == fine);
    coarsening.learn({}, moving.full, moving.in_view);
    CHECK(moving.cost(coarsening.next(recolored.budget)).total() <= recolored.budget);
  }
}

TEST_CASE("of very many particles only samples that are kept are drawn", "[window]") {
  for (const double ms : {20., 45., 90., 180., 900.}) {
    INFO(ms << " ms");
    const Machine machine{{ms, 2, 1, 0.1}, {1e9, 2e6, {1, 16, 64}}};
    Coarsening coarsening;
    machine.settle(coarsening, 1);
    for (int k = 0; k < 30; ++k) {
      const int sample = coarsening.next(machine.budget).sample;
      CHECK((sample == 1 || sample == 16 || sample == 64));
      machine.settle(coarsening, 1);
    }
  }
}

TEST_CASE("what cannot be fast is not made ugly for nothing", "[window]") {
  Coarsening coarsening;
  CHECK(Machine{{1, 1, 1, 40}}.settle(coarsening).full());
}

TEST_CASE("a sample that costs more than was thought is not tried over and over", "[window]") {
  const Machine machine{{40, 0, 1, 0.1}, {1e8, 2e6}, Coarsening::kBudget, 20};
  Coarsening coarsening;
  machine.settle(coarsening, 5);
  int slow = 0;
  for (int k = 0; k < 100; ++k) {
    if (machine.cost(coarsening.next(machine.budget)).total() > Coarsening::kBudget) ++slow;
    machine.settle(coarsening, 1);
  }
  CHECK(slow <= 2);
  // One in a hundred would be seen: these are fewer, and ever fewer.
  slow = 0;
  for (int k = 0; k < 1000; ++k) {
    if (machine.cost(coarsening.next(machine.budget)).total() > Coarsening::kBudget) ++slow;
    machine.settle(coarsening, 1);
  }
  CHECK(slow >= 1);
  CHECK(slow <= 4);
}

TEST_CASE("pictures become fine again when the view grows light", "[window]") {
  Coarsening coarsening;
  const Coarseness coarse = Machine{{300, 100, 5, 0.2}}.settle(coarsening);
  CHECK(coarse.sample > 8);
  CHECK(Machine{{3, 2, 2, 0.2}}.settle(coarsening).full());
}

TEST_CASE("a frame's phases tell what it would take at another coarseness", "[window]") {
  Timings frame;
  frame.add("project", 20);
  frame.add("medium", 40);
  frame.add("draw", 70);
  frame.add("composite", 3);
  compute::splotch::Counts counts;
  counts.small = 1000;
  counts.pixel_updates = 4000;  // three quarters of them of wider splats
  const PictureCost cost = cost_of(frame, counts, 2);
  CHECK(cost.particles == Approx(30));
  CHECK(cost.splats == Approx(30));
  CHECK(cost.pixels == Approx(5));
  CHECK(cost.fixed == Approx(10));
  const PictureCost half = predict(cost, {1, 1}, {2, 2});
  CHECK(half.total() == Approx(15 + 30 / 8. + 5 / 4. + 10));
}

}  // namespace haloscope::app::viewer
