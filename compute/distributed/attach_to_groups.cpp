#include "compute/distributed/attach_to_groups.h"

#include "compute/halos/halo_finder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace haloscope::compute::distributed {

namespace {

struct Question {
  std::uint32_t x, y, z, unused;
  std::uint64_t reach;  // squared
};

struct Answer {
  std::uint64_t squared;
  std::uint32_t number, group;  // kNoise: nobody is so near
};

template <class T>
std::array<std::vector<std::uint32_t>, 3> columns_of(const std::vector<T>& points) {
  std::array<std::vector<std::uint32_t>, 3> columns;
  for (auto& axis : columns) axis.reserve(points.size());
  for (const T& p : points) {
    columns[0].push_back(p.x);
    columns[1].push_back(p.y);
    columns[2].push_back(p.z);
  }
  return columns;
}

std::vector<std::uint64_t> starts_of(const std::vector<std::uint64_t>& counts) {
  std::vector<std::uint64_t> starts(counts.size(), 0);
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), std::uint64_t(0));
  return starts;
}

}  // namespace

GroupsInSpace::GroupsInSpace(Ranks& ranks, spatial::Neighbors& neighbors,
                             const haloscope::Domain& domain, std::span<const NumberedPart> linked,
                             std::span<const std::uint32_t> groups)
    : ranks_(ranks), neighbors_(neighbors), domain_(domain) {
  std::vector<PointPart> parts;
  for (const NumberedPart& part : linked) parts.push_back(part.points);
  domains_ = std::make_unique<Domains>(ranks, parts);
  const auto each = [&](const auto& use) {
    std::size_t place = 0;
    for (const NumberedPart& part : linked)
      for (std::uint64_t i = 0; i < part.points.count; ++i, ++place) {
        const auto& at = part.points.position;
        use(Linked{at[0][i], at[1][i], at[2][i], part.first + std::uint32_t(i), groups[place]});
      }
  };
  std::vector<std::uint64_t> counts(std::size_t(ranks.size()), 0), received;
  each([&](const Linked& p) { ++counts[std::size_t(domains_->owner(p.x, p.y, p.z))]; });
  std::vector<std::uint64_t> next = starts_of(counts);
  std::vector<Linked> sent(groups.size());
  each([&](const Linked& p) {
    sent[std::size_t(next[std::size_t(domains_->owner(p.x, p.y, p.z))]++)] = p;
  });
  here_ = ranks.exchange<Linked>(sent, counts, received);
  sent = {};
  // Of equally near points the search takes the first.
  std::sort(here_.begin(), here_.end(),
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
                                                 double linking_length) const {
  halos::FinderInput input;
  input.domain = domain_;
  halos::FinderInput::Kind kind;
  kind.first_radius = first_radius;
  const auto each_copy = [&](const auto& use) {
    for (std::uint64_t i = 0; i < points.count; ++i) {
      const Question question{points.position[0][i], points.position[1][i], points.position[2][i],
                              0, halos::squared_reach(input, kind, i, linking_length)};
      const double steps = std::ceil(std::sqrt(double(question.reach))) + 1;
      domains_->each_near({question.x, question.y, question.z},
                          std::uint32_t(std::min(steps, 2147483647.0)),
                          [&](int rank) { use(std::size_t(rank), question, i); });
    }
  };
  std::vector<std::uint64_t> counts(std::size_t(ranks_.size()), 0), received, back;
  each_copy([&](std::size_t rank, const Question&, std::uint64_t) { ++counts[rank]; });
  std::vector<std::uint64_t> next = starts_of(counts);
  const std::uint64_t copies = next.back() + counts.back();
  std::vector<Question> questions(static_cast<std::size_t>(copies));
  std::vector<std::uint64_t> from(static_cast<std::size_t>(copies));
  each_copy([&](std::size_t rank, const Question& question, std::uint64_t i) {
    const auto to = std::size_t(next[rank]++);
    questions[to] = question;
    from[to] = i;
  });
  questions = ranks_.exchange<Question>(questions, counts, received);
  std::vector<Answer> answers;
  answers.reserve(questions.size());
  {
    std::uint64_t most = 0;
    for (const Question& question : questions) most = std::max(most, question.reach);
    const auto columns = columns_of(questions);
    const auto nearest =
        here_.empty() || questions.empty()
            ? std::vector<spatial::Nearest>()
            : neighbors_.nearest({columns[0].data(), columns[1].data(), columns[2].data()},
                                 questions.size(), most);
    for (std::size_t q = 0; q < questions.size(); ++q) {
      const bool found = !nearest.empty() && nearest[q].index != spatial::kNobodyNear &&
                         nearest[q].squared <= questions[q].reach;
      const Linked* const one = found ? &here_[std::size_t(nearest[q].index)] : nullptr;
      answers.push_back(one ? Answer{nearest[q].squared, one->number, one->group}
                            : Answer{~std::uint64_t(0), clusters::kNoise, clusters::kNoise});
    }
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
  std::vector<std::uint32_t> groups;
  groups.reserve(best.size());
  for (const Answer& one : best) groups.push_back(one.group);
  return groups;
}

}  // namespace haloscope::compute::distributed
