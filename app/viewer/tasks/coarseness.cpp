#include "app/viewer/tasks/coarseness.h"

#include "compute/splotch/sample.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace haloscope::app::viewer {

namespace {

constexpr int kLargestDivisor = 8;
// A finer picture is tried where it would take that part of the budget: what fits barely would not
// fit in the next view.
constexpr double kToRefine = 0.75;
// Where nothing fits the budget: a picture that takes this much longer than the fastest is worth it
// if it looks better.
constexpr double kNearFastest = 1.25;
// Of halving both sides: more than of leaving out as many particles, which among many is hardly
// seen.
constexpr double kSideLoss = 2.25;
constexpr double kForgetting = 0.97;  // of what is left of a correction with each picture
// A coarseness that was tried again and took so many times as long as was expected is forgotten
// half as fast from then on, down to a fraction.
constexpr double kWrong = 1.5, kSlowest = 1. / 32;

std::vector<Coarseness> choices(const std::vector<int>& samples) {
  std::vector<Coarseness> all;
  for (const int sample : samples.empty() ? compute::splotch::samples_for_motion(0, {}) : samples)
    for (int divisor = 1; divisor <= kLargestDivisor; divisor *= 2)
      all.push_back({sample, divisor});
  return all;
}

}  // namespace

PictureCost cost_of(const Timings& frame, const compute::splotch::Counts& counts,
                    double pixels_ms) {
  // Small splats are drawn with the wider ones on the CPU, but grow no smaller with the picture.
  const double updates = std::max(counts.pixel_updates, double(counts.small));
  const double wide = updates > 0 ? 1 - double(counts.small) / updates : 0;
  const double splats = frame.median("medium") + frame.median("large");
  PictureCost cost;
  cost.splats = wide * splats;
  cost.particles =
      frame.median("project") + frame.median("sort") + frame.median("small") + (1 - wide) * splats;
  cost.pixels = frame.median("composite") + pixels_ms;
  // Making samples, "sample", is done once.
  cost.fixed =
      std::max(0., frame.median("draw") - frame.median("sample") - cost.particles - cost.splats);
  return cost;
}

PictureCost predict(const PictureCost& cost, const Coarseness& at, const Coarseness& to) {
  const double particles = double(at.sample) / to.sample;
  const double side = double(at.divisor) / to.divisor;
  return {cost.particles * particles, cost.splats * particles * side * side,
          cost.pixels * side * side, cost.fixed};
}

double loss(const Coarseness& c, const InView& in_view) {
  const double pixels = in_view.pixels / (double(c.divisor) * c.divisor);
  const double halvings = std::log2(double(c.sample));
  const double per_pixel = in_view.particles / std::max(1., pixels);
  // So many of the halvings leave fewer particles than pixels.
  const double grainy = std::clamp(halvings - std::log2(std::max(1e-9, per_pixel)), 0., halvings);
  return halvings + grainy + kSideLoss * std::log2(double(c.divisor));
}

double Coarsening::expected(const Lesson& lesson, const Coarseness& to) const {
  const auto correction = corrections_.find(to);
  const double factor =
      to == lesson.drawn || correction == corrections_.end() ? 1 : correction->second.factor;
  return factor * predict(lesson.cost, lesson.drawn, to).total();
}

void Coarsening::correct(const Coarseness& drawn, double milliseconds) {
  for (auto& [coarseness, correction] : corrections_)
    correction.factor = std::pow(correction.factor, std::pow(kForgetting, correction.forgotten));
  if (!(drawn == next_) || !(expected_ > 0)) return;
  const auto [at, first] = corrections_.try_emplace(drawn);
  Correction& correction = at->second;
  const double wrong = milliseconds / expected_;
  if (!first && wrong > kWrong) correction.forgotten = std::max(kSlowest, correction.forgotten / 2);
  correction.factor = std::clamp(correction.factor * wrong, 1., 16.);
}

void Coarsening::learn(const Coarseness& drawn, const PictureCost& cost, const InView& in_view) {
  correct(drawn, cost.total());
  last_ = {drawn, cost, in_view};
  expected_ = 0;
  if (drawn.full()) last_for_.clear();
}

Coarseness Coarsening::next(double budget) {
  if (!last_) return next_;
  const auto before = last_for_.find(budget);
  const double here =
      loss(before == last_for_.end() ? last_->drawn : before->second, last_->in_view);
  struct Choice {
    Coarseness coarseness;
    double milliseconds, loss;
  };
  std::vector<Choice> fitting, all;
  double fastest = HUGE_VAL;
  for (const Coarseness& c : choices(last_->in_view.samples)) {
    const Choice choice{c, expected(*last_, c), loss(c, last_->in_view)};
    all.push_back(choice);
    fastest = std::min(fastest, choice.milliseconds);
    const double limit = choice.loss < here ? kToRefine * budget : budget;
    if (choice.milliseconds <= limit) fitting.push_back(choice);
  }
  if (fitting.empty())
    std::copy_if(all.begin(), all.end(), std::back_inserter(fitting), [&](const Choice& choice) {
      return choice.milliseconds <= kNearFastest * fastest;
    });
  const auto best =
      std::min_element(fitting.begin(), fitting.end(), [](const Choice& a, const Choice& b) {
        return a.loss != b.loss ? a.loss < b.loss : a.milliseconds < b.milliseconds;
      });
  next_ = last_for_[budget] = best->coarseness;
  expected_ = next_ == last_->drawn ? 0 : best->milliseconds;
  return next_;
}

}  // namespace haloscope::app::viewer
