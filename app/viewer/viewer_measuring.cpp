#include "analysis/catalogs/compared_findings.h"
#include "app/session/find_command.h"
#include "app/viewer/viewer.h"
#include "core/error.h"

#include <fmt/format.h>

#include <utility>

// What is measured in a session: profiles and phase diagrams.
namespace haloscope::app::viewer {

using session::State;

namespace {

// The rows of its catalog are its pieces, and tell where they are.
bool has_rows_of_pieces(const analysis::Finding& found) {
  const auto& tables = found.catalog.tables;
  return !tables.empty() && tables.front().count == found.pieces &&
         tables.front().find(HaloRole::Position) != nullptr;
}

// About a piece that has been found: as the row of its catalog, or else about its place.
analysis::ProfileOptions about_piece(const session::ProfileState& profile,
                                     const analysis::Finding& found) {
  analysis::ProfileOptions options = session::about_row(profile);
  if (has_rows_of_pieces(found)) {
    options.table = found.catalog.tables.front().name;
    return options;
  }
  const Vec& center = found.places[std::size_t(profile.piece)].center;
  options.structure.reset();
  options.catalog.clear();
  options.center = fmt::format("{},{},{}", center[0], center[1], center[2]);
  return options;
}

std::string in_files(const std::string& line) {
  return "haloscope view: " + line;
}

}  // namespace

// In the snapshot that is open.
Measurer::Request Viewer::measuring(const std::string& name, const std::string& line) const {
  Measurer::Request request;
  request.snapshot = state_.snapshot();
  request.key = request.snapshot + "\n" + line;
  request.name = name;
  request.files = opener_.model()->info.files;
  return request;
}

void Viewer::want_profile() {
  if (!state_.profile) last_profile_ = {};
  if (!state_.profile) return profiler_.want({});
  last_profile_.wanted = state_.profile;
  last_profile_.again = last_profile_.again && state_.profile == last_profile_.made;
  const session::ProfileState profile = *state_.profile;
  const std::string line = session::profile_line(profile);
  Measurer::Request request = measuring("measuring a profile", line);
  const std::string snapshot = request.snapshot;
  const auto resident = opener_.model()->points;
  if (profile.finder.empty()) {
    if (!profile.options.catalog.empty()) request.files.push_back(profile.options.catalog);
    request.measure = [said = base_.said, options = profile.options, snapshot, line,
                       resident](Progress& progress) {
      return analysis::measure_profile_in(snapshot, said, options, nullptr, in_files(line),
                                          progress, {}, resident);
    };
    return profiler_.want(request);
  }
  const analysis::FinderWords& words = analysis::require_finder(profile.finder).words();
  const auto found = findings_.of(profile.finder);
  if (!found || !found->measured)
    return profiler_.refuse(
        fmt::format("no {} have been found here: find {} first, or take the "
                    "profile about a point (profile at X Y Z)",
                    words.pieces, profile.finder));
  if (profile.piece >= found->places.size())
    return profiler_.refuse(fmt::format("there is no {} {}: there are {}, from 0 on", words.piece,
                                        profile.piece, found->places.size()));
  const std::string search = session::find_line(profile.finder, found->options);
  request.key += "\n" + search;
  request.about = found;
  request.measure = [said = base_.said, options = about_piece(profile, *found), snapshot, found,
                     resident, made_by = line + " (" + search + ")",
                     piece = fmt::format("{} {}", analysis::piece_word(*found, words, 1),
                                         profile.piece)](Progress& progress) {
    return analysis::measure_profile_in(snapshot, said, options, &found->catalog, in_files(made_by),
                                        progress, piece, resident);
  };
  profiler_.want(request);
}

void Viewer::want_phase() {
  if (!state_.phase) last_phase_ = {};
  if (!state_.phase) return phaser_.want({});
  last_phase_.wanted = state_.phase;
  last_phase_.again = last_phase_.again && state_.phase == last_phase_.made;
  const std::string line = session::phase_line(*state_.phase);
  Measurer::Request request = measuring("summing in bins", line);
  request.measure = [said = base_.said, options = state_.phase->options,
                     snapshot = request.snapshot, line](Progress& progress) {
    return analysis::measure_phase_in(snapshot, said, options, in_files(line), progress);
  };
  phaser_.want(request);
}

// B is taken from what is kept, or else searched for, beside what is listed.
void Viewer::want_comparison() {
  if (!state_.compared) compared_before_.reset();
  if (!state_.compared) return comparer_.want({});
  const session::ComparedState& asked = *state_.compared;
  const auto first = findings_.of(state_.shown_finder);
  if (!first || !first->measured)
    return comparer_.refuse(
        fmt::format("there is nothing to compare here: find {} first", state_.shown_finder));
  if (first->finder == asked.finder && first->options == asked.options)
    return comparer_.refuse("A and B are the same search: search again, or compare with another");
  const std::string search = session::find_line(first->finder, first->options);
  const std::string line = session::compare_line(asked);
  Measurer::Request request = measuring("comparing", line + " (" + search + ")");
  request.about = first;
  analysis::FindRequest find;
  find.device = device();
  find.resident = opener_.model()->points;
  request.measure = [said = base_.said, snapshot = request.snapshot, first, find, asked,
                     second = findings_.kept(request.snapshot, asked.finder, asked.options),
                     made_by = in_files(line + " (" + search + ")")](Progress& progress) {
    auto other = second;
    if (!other)
      other = analysis::find_in(snapshot, said, asked.finder, asked.options, find, progress);
    return analysis::compare_findings(first, other, made_by, progress);
  };
  comparer_.want(request);
}

std::shared_ptr<const analysis::ComparedFindings> Viewer::compared() const {
  const auto& made = comparer_.shown().made;
  if (!state_.compared || !made || !made->compared) return nullptr;
  const analysis::Finding& second = *made->compared->second;
  if (second.finder != state_.compared->finder || second.options != state_.compared->options)
    return nullptr;
  return made->compared->first == findings_.of(state_.shown_finder) ? made->compared : nullptr;
}

// Of a series that plays, each snapshot would be read once more: it has no plots, and not those of
// the one before.
void Viewer::want_measurements() {
  if (!opener_.model()) {
    profiler_.want({});
    phaser_.want({});
    comparer_.want({});
    return;
  }
  // What is shown stays until another snapshot is there, which may fail; what runs is given up.
  for (Measurer* measurer : {&profiler_, &phaser_, &comparer_})
    if (!opener_.busy() || measurer->busy()) measurer->forget_others(state_.snapshot());
  // A profile may be about a piece that is being found.
  if (opener_.busy() || findings_.busy() || playing_) return;
  want_profile();
  want_phase();
  want_comparison();
}

void Viewer::take_measurements() {
  // What could not be measured, or was stopped, takes nothing away: what was measured before is
  // asked for again.
  const auto take_back = [this](auto& last, auto& asked) {
    if (!asked || !last.made || last.snapshot != state_.snapshot()) return;
    asked = last.made;
    last.again = true;
  };
  // Returns whether it has something new to say.
  const auto keep = [this](auto& last) {
    last.made = last.wanted;
    last.snapshot = state_.snapshot();
    return !std::exchange(last.again, false);
  };
  bool compared_in_vain = false;
  for (Measurer* measurer : {&profiler_, &phaser_, &comparer_}) {
    const auto came = measurer->receive();
    if (!came) continue;
    if (!came->made) {
      fail_job(came->fault);
      if (measurer == &profiler_) take_back(last_profile_, state_.profile);
      if (measurer == &phaser_) take_back(last_phase_, state_.phase);
      compared_in_vain = compared_in_vain || measurer == &comparer_;
      continue;
    }
    bool is_new = true;
    if (measurer == &profiler_) is_new = keep(last_profile_);
    if (measurer == &phaser_) is_new = keep(last_phase_);
    if (!is_new) continue;
    // While another snapshot is being opened, A is set aside, and B is of the snapshot before too.
    if (const auto& compared = came->made->compared;
        compared && compared->first == findings_.of(compared->first->finder))
      findings_.keep(state_.snapshot(), compared->second);
    for (const auto& sentence : came->made->said) tell(false, sentence);
    for (const auto& sentence : came->made->words) tell(false, sentence);
    if (compared()) compared_before_ = state_.compared;
  }
  if (profiler_.was_stopped()) take_back(last_profile_, state_.profile);
  if (phaser_.was_stopped()) take_back(last_phase_, state_.phase);
  const bool stopped = comparer_.was_stopped() || std::exchange(gives_up_comparison_, false);
  if (!state_.compared || !(stopped || compared_in_vain)) return;
  take_back_comparison();
  if (stopped)
    tell(false, state_.compared
                    ? "the comparison was stopped: the one before it is shown again"
                    : "the comparison was stopped: nothing is compared, and what was found stays");
}

// After a comparison that was cancelled, or has failed: back to the one before, whose B is still
// known.
void Viewer::take_back_comparison() {
  const session::ComparedState stopped = *state_.compared;
  // Once: the one before may have to wait until it can be asked for.
  comparer_.want({});
  state_.compared = std::exchange(compared_before_, {});
  const auto is_there = [&](const session::ComparedState& former) {
    const session::FindingState& listed = state_.finding(state_.shown_finder);
    return findings_.kept(state_.snapshot(), former.finder, former.options) &&
           (former.finder != stopped.finder || former.options != stopped.options) &&
           (former.finder != state_.shown_finder || former.options != listed.options);
  };
  if (state_.compared && !is_there(*state_.compared)) state_.compared.reset();
  if (state_.compared) state_.compared->show = stopped.show;
}

void Viewer::measure_seen(session::PicturePoint from, session::PicturePoint to) {
  ruler_from_.reset();
  ruler_to_ = depth_request(to);
  if (ruler_to_) look_at(from, ruler_probe_);
}

// Its ends are looked for one after the other.
void Viewer::take_ruler_end(const std::optional<Vec>& seen) {
  if (!seen)
    return tell(true, fmt::format("nothing is seen at the {} end of the ruler: draw it from one "
                                  "thing that gives light to another",
                                  ruler_from_ ? "second" : "first"));
  if (ruler_from_) {
    const Vec& a = *ruler_from_;
    const Vec& b = *seen;
    return push(fmt::format("ruler {} {} {} {} {} {}", a[0], a[1], a[2], b[0], b[1], b[2]));
  }
  ruler_from_ = seen;
  if (ruler_to_ && opener_.scene()) ruler_probe_.look(opener_.scene(), *ruler_to_);
}

std::vector<std::shared_ptr<const analysis::Measurement>> Viewer::measured() const {
  std::vector<std::shared_ptr<const analysis::Measurement>> all;
  for (const Measurer* measurer : {&profiler_, &phaser_, &comparer_})
    if (const auto& made = measurer->shown().made) all.push_back(made);
  return all;
}

bool Viewer::export_measured_plot(const std::string& name, const std::string& path,
                                  bool overwrite) {
  for (const auto& made : measured())
    for (const analysis::Plot& plot : made->plots) {
      if (plot.name != name) continue;
      if (plot.is_empty())
        throw Error(fmt::format("there is nothing in the plot '{}': {}", name, plot.why_empty),
                    "export_plot " + name);
      const bool has_rows = made->table_of.empty() || made->table_of == plot.name;
      exporter_.plot(std::make_shared<analysis::Plot>(plot), path, overwrite,
                     has_rows ? made->table : std::string());
      return true;
    }
  return false;
}

}  // namespace haloscope::app::viewer
