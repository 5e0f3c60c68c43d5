#include "analysis/selection/set_members.h"

#include "analysis/selection/filter_options.h"
#include "analysis/selection/selection_ids.h"
#include "analysis/snapshot/choose_types.h"
#include "analysis/snapshot/open_snapshot.h"
#include "core/array.h"
#include "core/error.h"
#include "io/loading/select_rows.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace haloscope::analysis {

namespace {

// Bits of a row's word that hold the operands of a formula while it is worked out.
constexpr int kFirstOperand = 12, kSecondOperand = 13;
static_assert(kMostSets <= std::size_t(kFirstOperand));

// Names of one file may differ.
bool same_file(const std::string& a, const std::string& b) {
  if (a == b) return true;
  std::error_code unknown;
  return std::filesystem::equivalent(a, b, unknown) && !unknown;
}

const std::string& home_of(const SetsRequest& request, const SelectionChoice& chosen) {
  return chosen.made_in < request.series.size() ? request.series[chosen.made_in] : request.snapshot;
}

SelectionRequest request_of(const SetsRequest& request, const SelectionChoice& chosen) {
  SelectionRequest one;
  one.chosen = chosen;
  one.snapshot = request.snapshot;
  one.made_in = home_of(request, chosen);
  if (same_file(one.made_in, one.snapshot)) one.made_in = one.snapshot;
  one.said = request.said;
  one.device = request.device;
  for (const auto& known : request.findings)
    if (known.of.finder == chosen.finder && known.of.search == chosen.search &&
        known.of.made_in == chosen.made_in)
      one.finding = known.finding;
  return one;
}

// Works out one set after the other, those first of which others are made.
class Evaluation {
 public:
  Evaluation(const SetsRequest& request, KnownIds& known, Progress& progress)
      : request_(request),
        known_(known),
        progress_(progress),
        reader_(open_snapshot(request.snapshot, request.said)),
        types_(choose_types(reader_->info(), {})) {}

  SetMembers run() {
    check_sets(request_.sets);
    members_.sets = request_.sets;
    members_.snapshot = request_.snapshot;
    std::uint64_t rows = 0;
    for (const int type : types_) rows += reader_->info().types.at(type).count;
    require_host_memory(rows * sizeof(std::uint16_t), "the members of sets");
    for (const int type : types_) members_.of[type].resize(reader_->info().types.at(type).count);
    done_.resize(request_.sets.size());
    for (std::size_t k = 0; k < request_.sets.size(); ++k) work_out(k);
    count();
    return std::move(members_);
  }

 private:
  void work_out(std::size_t k) {
    if (done_[k]) return;
    const NamedSet& set = request_.sets[k];
    done_[k] = true;
    const bool alone = set.operation == SetOperation::None;
    // Before anything is marked: they use the same bits.
    for (const SetOperand* operand : {&set.first, &set.second})
      if (!operand->set.empty() && (operand == &set.first || !alone))
        work_out(*find_set(request_.sets, operand->set));
    try {
      const int first = bit_of(set, set.first, kFirstOperand);
      const int second = alone ? first : bit_of(set, set.second, kSecondOperand);
      for (auto& [type, words] : members_.of) combine(words, set.operation, first, second, int(k));
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      if (!request_.leaves_out_faulty) throw;
      members_.faults.push_back(error.what());
      clear_operands();
    }
  }

  // Of a set that failed the first operand may be marked already.
  void clear_operands() {
    constexpr unsigned kOperands = 1u << kFirstOperand | 1u << kSecondOperand;
    for (auto& [type, words] : members_.of)
      for (std::uint16_t& word : words) word = std::uint16_t(word & ~kOperands);
  }

  // Where an operand is marked.
  int bit_of(const NamedSet& set, const SetOperand& operand, int free_bit) {
    if (!operand.set.empty()) return int(*find_set(request_.sets, operand.set));
    try {
      mark(set, operand.selection, free_bit);
    } catch (const Error& error) {
      throw Error(fmt::format("set '{}': {}", set.name, error.what()));
    }
    return free_bit;
  }

  void mark(const NamedSet& set, const SelectionChoice& chosen, int bit) {
    if (chosen.kind == SelectionKind::None) return;
    SelectionRequest asked = request_of(request_, chosen);
    asked.ids = known_.of(asked);
    if (chosen.follow_ids || chosen.of_finding()) require_ids(reader_->info(), types_);
    ChosenParticles particles = chosen_particles(asked, progress_);
    particles.filter = named_filter(reader_->info(), types_, particles.filter);
    const io::SelectedRows selected =
        io::find_rows(*reader_, types_, particles.selection, particles.filter, progress_);
    for (const auto& [type, rows] : selected.rows) {
      auto& words = members_.of.at(type);
      rows.each(0, rows.rows_in_file(), [&](std::uint64_t row, std::uint64_t, std::uint64_t) {
        words[row] |= std::uint16_t(1u << bit);
      });
    }
    if (!particles.ids) return;
    tell_of_ids(set, asked, particles, selected);
    known_.keep(asked, particles.ids);
  }

  void tell_of_ids(const NamedSet& set, const SelectionRequest& asked,
                   const ChosenParticles& particles, const io::SelectedRows& selected) {
    std::vector<std::string> said = particles.ids->said;
    const auto add = [&said](const std::vector<std::string>& more) {
      said.insert(said.end(), more.begin(), more.end());
    };
    const io::IdLists& sought = *particles.filter.ids;
    if (asked.follows()) {
      add(types_without_ids(reader_->info(), types_, sought));
      add(absent_ids(reader_->info(), sought, selected.ids_found));
    }
    add(io::describe_shared_ids(selected, particles.filter));
    // Both operands of a set may have the same to tell.
    for (const std::string& sentence : said) {
      std::string told = fmt::format("set '{}': {}", set.name, sentence);
      if (std::find(members_.said.begin(), members_.said.end(), told) == members_.said.end())
        members_.said.push_back(std::move(told));
    }
  }

  static void combine(std::vector<std::uint16_t>& words, SetOperation operation, int first,
                      int second, int to) {
    constexpr unsigned kFree = 1u << kFirstOperand | 1u << kSecondOperand;
    const tbb::blocked_range<std::size_t> all(0, words.size(), 1u << 16);
    tbb::parallel_for(all, [&](const auto& range) {
      for (std::size_t row = range.begin(); row != range.end(); ++row) {
        const unsigned word = words[row];
        const unsigned a = word >> first & 1u, b = word >> second & 1u;
        const unsigned in = operation == SetOperation::Union          ? a | b
                            : operation == SetOperation::Intersection ? a & b
                            : operation == SetOperation::Difference   ? a & ~b
                                                                      : a;
        words[row] = std::uint16_t((word & ~kFree) | (in & 1u) << to);
      }
    });
  }

  void count() {
    std::array<std::uint64_t, 1u << kMostSets> of_word{};
    for (const auto& [type, words] : members_.of)
      for (const std::uint16_t word : words) ++of_word[word];
    for (std::size_t k = 0; k < request_.sets.size(); ++k) {
      std::uint64_t sum = 0;
      for (std::size_t word = 0; word < of_word.size(); ++word)
        if (word >> k & 1u) sum += of_word[word];
      members_.counts.push_back(sum);
    }
  }

  const SetsRequest& request_;
  KnownIds& known_;
  Progress& progress_;
  std::unique_ptr<io::SnapshotReader> reader_;
  std::vector<int> types_;
  SetMembers members_;
  std::vector<bool> done_;
};

}  // namespace

bool SetsRequest::same_as(const SetsRequest& other) const {
  if (snapshot != other.snapshot || sets.size() != other.sets.size()) return false;
  for (std::size_t k = 0; k < sets.size(); ++k)
    if (!sets[k].same_particles(other.sets[k])) return false;
  bool same = true;
  each_selection(sets, [&](const SelectionChoice& chosen) {
    same = same && home_of(*this, chosen) == home_of(other, chosen);
  });
  return same;
}

std::shared_ptr<const FollowedIds> KnownIds::of(const SelectionRequest& request) const {
  for (const auto& [asked, ids] : known_)
    if (asked.same_ids_as(request)) return ids;
  return nullptr;
}

void KnownIds::keep(const SelectionRequest& request, std::shared_ptr<const FollowedIds> ids) {
  if (of(request)) return;
  known_.emplace_back(request, std::move(ids));
  known_.back().first.finding.reset();
  known_.back().first.ids.reset();
}

void KnownIds::keep_only(const SetsRequest& request) {
  std::erase_if(known_, [&](const auto& known) {
    bool needed = false;
    each_selection(request.sets, [&](const SelectionChoice& chosen) {
      needed = needed || known.first.same_ids_as(request_of(request, chosen));
    });
    return !needed;
  });
}

SetMembers members_of_sets(const SetsRequest& request, KnownIds& known, Progress& progress) {
  known.keep_only(request);
  return Evaluation(request, known, progress).run();
}

std::vector<std::uint8_t> set_labels(const SetMembers& members, int type, std::uint64_t count,
                                     const std::vector<std::uint64_t>& rejected,
                                     std::uint16_t shown, const OwnRows& own) {
  const auto found = members.of.find(type);
  if (found == members.of.end()) return std::vector<std::uint8_t>(count, 0);
  const std::vector<std::uint16_t>& words = found->second;
  const std::uint64_t rows = count + rejected.size();
  if (words.size() != own.total.value_or(rows))
    throw Error("the sets are of all particles, of which a part is drawn", "show_sets",
                "draw all particles of the snapshot");
  std::array<std::uint8_t, 1u << kMostSets> label{};
  for (unsigned word = 0; word < label.size(); ++word)
    for (std::size_t k = 0; k < kMostSets; ++k)
      if ((word & shown) >> k & 1u) label[word] = std::uint8_t(1 + k);
  std::vector<std::uint8_t> labels(count);
  const tbb::blocked_range<std::size_t> all(std::size_t(own.first), std::size_t(own.first + rows),
                                            1u << 16);
  tbb::parallel_for(all, [&](const auto& range) {
    // How many rows before these were left out.
    auto left_out = std::lower_bound(rejected.begin(), rejected.end(), range.begin());
    std::size_t at = range.begin() - all.begin() - std::size_t(left_out - rejected.begin());
    for (std::size_t row = range.begin(); row != range.end(); ++row) {
      if (left_out != rejected.end() && *left_out == row)
        ++left_out;
      else
        labels[at++] = label[words[row]];
    }
  });
  return labels;
}

}  // namespace haloscope::analysis
