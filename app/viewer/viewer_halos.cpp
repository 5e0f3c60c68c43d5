#include "analysis/halos/halo_output.h"
#include "analysis/halos/mass_function_plot.h"
#include "app/session/find_command.h"
#include "app/viewer/viewer.h"
#include "core/error.h"
#include "io/catalogs/write_catalog.h"

#include <fmt/format.h>

#include <utility>

// The halos of a session: searched for, kept, shown again, written.
namespace haloscope::app::viewer {

using session::State;

void Viewer::find_halos(const State& state) {
  finder_.cancel();
  ++searching_;
  halos_.reset();
  memory_.halo_order.forget();
  const analysis::HaloOptions options = sought_ = state.halos;
  kept_halos_.forget_changed(state.snapshot());
  if (auto kept = kept_halos_.of(state.snapshot(), options)) return show_halos(std::move(kept));
  finder_.submit({"finding halos",
                  [this, snapshot = state.snapshot(), options, said = base_.said,
                   compute = base_.compute, part = base_.selection.any(),
                   number = searching_](const std::shared_ptr<Progress>& progress) {
                    auto found = std::make_shared<analysis::FoundHalos>(
                        analysis::find_halos(snapshot, said, options, compute.choose(), *progress));
                    // The rows that are shown are other ones.
                    if (part) found->colors.reset();
                    found_halos_.put({number, {snapshot, std::move(found)}});
                  },
                  [this](const std::string& fault) { faults_.add(fault); }, true});
}

void Viewer::take_halos() {
  auto found = found_halos_.take();
  if (!found || found->first != searching_) return;
  kept_halos_.keep(found->second.snapshot, found->second.halos);
  // The search may have been undone meanwhile.
  if (state_.halos.searched && state_.halos.options() == sought_)
    show_halos(std::move(found->second.halos));
}

// Whether the search under way is that of this state.
bool Viewer::seeks(const State& state) const {
  return (finder_.busy() || found_halos_.has_value()) && state.halos.options() == sought_;
}

// What the state says was found, where it is still known: nothing is searched for. A search that is
// under way goes on, and is shown where the state is its own.
void Viewer::show_kept_halos(State& state) {
  halos_.reset();
  memory_.halo_order.forget();
  if (!state.halos.searched) return;
  kept_halos_.forget_changed(state.snapshot());
  if (auto kept = kept_halos_.of(state.snapshot(), state.halos)) return show_halos(std::move(kept));
  if (seeks(state)) return;
  state.halos.searched = false;
  tell(false, "what that search found is not kept any more: find halos shows it again");
}

void Viewer::show_halos(std::shared_ptr<const analysis::FoundHalos> halos) {
  halos_ = std::move(halos);
  memory_.halo_order.forget();
  // What was zoomed into is of other halos.
  memory_.plots.clear();
  for (const auto& sentence : halos_->said) tell(false, sentence);
  const std::size_t count = halos_->rows.size();
  tell(false, fmt::format("{} halo{}", count, count == 1 ? "" : "s"));
}

// Those that were found in the snapshot that was just opened; of several searches the one that was
// asked for last, or else the one that was last there.
void Viewer::bring_back_halos() {
  if (halos_ || state_.halos.searched || finder_.busy()) return;
  const std::string& snapshot = scene_->model.path;
  kept_halos_.forget_changed(snapshot);
  auto kept = kept_halos_.of(snapshot, state_.halos);
  if (!kept) kept = kept_halos_.last_of(snapshot);
  if (!kept) return;
  static_cast<analysis::HaloOptions&>(state_.halos) = kept->options;
  state_.halos.searched = true;
  show_halos(std::move(kept));
}

void Viewer::export_halos(const State&, const std::string& path, bool overwrite) {
  if (!halos_) throw Error("the halos have not been found yet", "export_halos", "wait for them");
  analysis::require_halo_output(path, halos_->options, analysis::overwriting_by_word(overwrite));
  CatalogProvenance said = halos_->provenance;
  said.command_line = "haloscope view: " + session::find_line(halos_->options);
  exporter_->file(path, [path, halos = halos_, said](Progress& progress) {
    if (analysis::is_csv(path))
      io::write_catalog(path, analysis::without_member_lists(halos->catalog), {}, said, progress);
    else
      io::write_catalog(path, halos->catalog, halos->members, said, progress);
  });
}

// `name`: the command takes one alone so far.
void Viewer::export_plot(const std::string& name, const std::string& path, bool overwrite) {
  if (!halos_) throw Error("the halos have not been found yet", "export_plot", "wait for them");
  auto plot = std::make_shared<analysis::Plot>(analysis::mass_function_plot(*halos_));
  if (plot->layers.empty()) throw Error("the halos have no masses", "export_plot " + name);
  plot->notes.push_back("haloscope view: " + session::find_line(halos_->options));
  exporter_->plot(std::move(plot), path, overwrite);
}

}  // namespace haloscope::app::viewer
