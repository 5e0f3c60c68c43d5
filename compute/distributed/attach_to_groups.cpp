#include "compute/distributed/attach_to_groups.h"

#include "compute/distributed/numbered_points.h"
#include "compute/distributed/outbox.h"
#include "compute/distributed/pieces.h"
#include "compute/halos/halo_finder.h"
#include "core/array.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace haloscope::compute::distributed {

namespace {

template <class T>
std::array<std::vector<std::uint32_t>, 3> columns_of(const std::vector<T>& points) {
  std::array<std::vector<std::uint32_t>, 3> columns;
  for (auto& axis : columns) axis.resize(points.size());
  tbb::parallel_for(std::size_t(0), points.size(), [&](std::size_t i) {
    columns[0][i] = points[i].x;
    columns[1][i] = points[i].y;
    columns[2][i] = points[i].z;
  });
  return columns;
}

}  // namespace

GroupsInSpace::GroupsInSpace(Ranks& ranks, spatial::Neighbors& neighbors,
                             const haloscope::Domain& domain, std::span<const NumberedPart> linked,
                             std::span<const std::uint32_t> groups)
    : ranks_(ranks), neighbors_(neighbors), domain_(domain) {
  std::vector<PointPart> parts;
  for (const NumberedPart& part : linked) parts.push_back(part.points);
  domains_ = std::make_unique<Domains>(ranks, parts);
  const PointsOfParts all(linked);
  Array<Linked> sent;
  std::vector<std::uint64_t> received;
  const std::vector<std::uint64_t> counts = sort_copies(
      ranks.size(), all.count(),
      [&](std::uint64_t place, const auto& use) {
        const NumberedPoint p = all[place];
        use(std::size_t(domains_->owner(p.x, p.y, p.z)), p);
      },
      [&](std::size_t copies) { sent = Array<Linked>(copies); },
      [&](std::size_t to, std::uint64_t place, const NumberedPoint& p) {
        sent[to] = {p.x, p.y, p.z, p.number, groups[std::size_t(place)]};
      });
  here_ = ranks.exchange<Linked>({sent.data(), sent.size()}, counts, received);
  sent = {};
  // Of equally near points the search takes the first.
  tbb::parallel_sort(here_.begin(), here_.end(),
                     [](const Linked& a, const Linked& b) { return a.number < b.number; });
  const auto columns = columns_of(here_);
  neighbors_.set_points({columns[0].data(), columns[1].data(), columns[2].data()}, here_.size());
}

GroupsInSpace::~GroupsInSpace() {
  try {
    neighbors_.set_points({});
  } catch (const Error&) {
    // A device that has failed: what failed first is told.
  }
}

std::vector<std::uint32_t> GroupsInSpace::attach(const PointPart& points, const float* first_radius,
                                                 double linking_length,
                                                 const Attaching& how) const {
  std::vector<std::uint32_t> groups(static_cast<std::size_t>(points.count), clusters::kNoise);
  for_pieces(ranks_, points.count, how.at_once, [&](std::uint64_t begin, std::uint64_t end) {
    if (how.progress)
      how.progress->report("attach", points.count > 0 ? double(begin) / double(points.count) : 0);
    const PointPart piece{
        {points.position[0] + begin, points.position[1] + begin, points.position[2] + begin},
        end - begin};
    attach_piece(piece, first_radius ? first_radius + begin : nullptr, linking_length,
                 groups.data() + begin);
  });
  return groups;
}

void GroupsInSpace::attach_piece(const PointPart& points, const float* first_radius,
                                 double linking_length, std::uint32_t* groups) const {
  halos::FinderInput input;
  input.domain = domain_;
  halos::FinderInput::Kind kind;
  kind.first_radius = first_radius;
  Array<Question> asked;
  Array<std::uint64_t> from;
  const std::vector<std::uint64_t> counts = sort_copies(
      ranks_.size(), points.count,
      [&](std::uint64_t i, const auto& use) {
        const Question question{points.position[0][i], points.position[1][i], points.position[2][i],
                                0, halos::squared_reach(input, kind, i, linking_length)};
        const double steps = std::ceil(std::sqrt(double(question.reach))) + 1;
        domains_->each_near({question.x, question.y, question.z},
                            std::uint32_t(std::min(steps, 2147483647.0)),
                            [&](int rank) { use(std::size_t(rank), question); });
      },
      [&](std::size_t copies) {
        asked = Array<Question>(copies);
        from = Array<std::uint64_t>(copies);
      },
      [&](std::size_t to, std::uint64_t i, const Question& question) {
        asked[to] = question;
        from[to] = i;
      });
  std::vector<std::uint64_t> received, back;
  std::vector<Answer> answers;
  {
    const std::vector<Question> questions =
        ranks_.exchange<Question>({asked.data(), asked.size()}, counts, received);
    asked = {};
    answers = answer(questions);
  }
  answers = ranks_.exchange<Answer>(answers, received, back);
  std::vector<Answer> best(static_cast<std::size_t>(points.count),
                           {~std::uint64_t(0), clusters::kNoise, clusters::kNoise});
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Answer& own = best[std::size_t(from[i])];
    const Answer& other = answers[i];
    if (other.squared < own.squared || (other.squared == own.squared && other.number < own.number))
      own = other;
  }
  for (std::size_t i = 0; i < best.size(); ++i) groups[i] = best[i].group;
}

std::vector<GroupsInSpace::Answer> GroupsInSpace::answer(
    const std::vector<Question>& questions) const {
  std::vector<Answer> answers(questions.size(),
                              {~std::uint64_t(0), clusters::kNoise, clusters::kNoise});
  if (here_.empty() || questions.empty()) return answers;
  std::uint64_t most = 0;
  for (const Question& question : questions) most = std::max(most, question.reach);
  const auto columns = columns_of(questions);
  const auto nearest = neighbors_.nearest({columns[0].data(), columns[1].data(), columns[2].data()},
                                          questions.size(), most);
  tbb::parallel_for(std::size_t(0), questions.size(), [&](std::size_t q) {
    if (nearest[q].index == spatial::kNobodyNear || nearest[q].squared > questions[q].reach) return;
    const Linked& one = here_[std::size_t(nearest[q].index)];
    answers[q] = {nearest[q].squared, one.number, one.group};
  });
  return answers;
}

}  // namespace haloscope::compute::distributed
