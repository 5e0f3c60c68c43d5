#pragma once

#include "app/session/session_actions.h"

#include <optional>
#include <string>
#include <vector>

namespace haloscope::test {

// Notes what it is asked for.
class FakeActions : public app::session::SessionActions {
 public:
  using State = app::session::State;

  std::vector<std::string> asked, said, announced;
  std::string clip;
  app::session::SceneFacts facts;
  std::optional<double> head;
  std::optional<Vec> followed;
  app::session::UserChoices wanted;

  FakeActions() {
    facts.open = true;
    facts.bounds = {{0, 0, 0}, {100, 100, 100}};
    facts.periodic = true;
    facts.box_size = 100;
    facts.types = {0, 1, 4};
    facts.piece_counts = {{"halos", 2}};
    facts.fields = {{0, {"Temperature", "Density"}}, {1, {"LocalDensity"}}};
  }
  app::session::SceneFacts scene() const override { return facts; }
  std::optional<analysis::PiecePlace> piece(const std::string&, std::uint64_t n) const override {
    if (n >= 2) return {};
    return analysis::PiecePlace{{10, 20, 30}, 2};
  }
  void open_snapshot(const State& s) override { asked.push_back("open " + s.snapshot()); }
  void play_snapshots(bool on) override { asked.push_back(on ? "play" : "stop"); }
  bool playing() const override { return false; }
  void find(const State&, const std::string& finder) override { asked.push_back("find " + finder); }
  void export_finding(const std::string& finder, const std::string& p, bool overwrite) override {
    asked.push_back(finder + " " + p + (overwrite ? " over" : ""));
  }
  void export_plot(const std::string&, const std::string& name, const std::string& p,
                   bool overwrite) override {
    asked.push_back("plot " + name + " " + p + (overwrite ? " over" : ""));
  }
  void measure_again() override {}
  void count_selection() override { asked.push_back("count_selection"); }
  void gather_sets() override { asked.push_back("gather_sets"); }
  void export_selection(const State&, const std::string& p, bool overwrite) override {
    asked.push_back("selection " + p + (overwrite ? " over" : ""));
  }
  void export_still(const State&, const app::session::StillRequest& r) override {
    asked.push_back("still " + r.path + (r.overlays ? "" : " bare"));
  }
  void export_frames(const State&, const app::session::FilmRequest& r) override {
    asked.push_back("film " + r.path);
  }
  void preview_path(const State&) override { asked.push_back("preview"); }
  void cancel() override { asked.push_back("cancel"); }
  void cancel_job(app::session::JobKind kind) override {
    constexpr const char* kNames[] = {"open",    "find",  "export", "count",
                                      "profile", "phase", "sets",   "compare"};
    asked.push_back(std::string("cancel ") + kNames[int(kind)]);
  }
  void wait() override { asked.push_back("wait"); }
  void undo(State&) override { asked.push_back("undo"); }
  void redo(State&) override { asked.push_back("redo"); }
  void one_step(bool on) override { asked.push_back(on ? "one step" : "one step off"); }
  std::optional<Vec> followed_middle() const override { return followed; }
  void set_play_head(double seconds) override { head = seconds; }
  void glide_from(const app::session::Camera&) override { asked.push_back("glide"); }
  void set_clipboard(const std::string& text) override { clip = text; }
  std::string clipboard() const override { return clip; }
  void resize(int, int) override { asked.push_back("resize"); }
  void toggle_panel(const std::string& name) override { asked.push_back("panel " + name); }
  const app::session::UserChoices& choices() const override { return wanted; }
  void choose(const app::session::UserChoices& choices) override { wanted = choices; }
  void forget(app::session::Remembered what) override {
    asked.push_back(what == app::session::Remembered::Files ? "forget files" : "forget commands");
  }
  void say(const std::string& sentence) override { said.push_back(sentence); }
  void announce(const std::string& sentence) override { announced.push_back(sentence); }
  void wrote(const std::string& path) override { announced.push_back("Wrote " + path); }
  void tell_of(const State&, const app::session::Question& q) override {
    asked.push_back("tell " + q.what + " " + q.finder +
                    (q.number ? " " + std::to_string(*q.number) : "") +
                    (q.at ? std::to_string(q.at->x) + " " + std::to_string(q.at->y) : ""));
  }
  void quit() override { asked.push_back("quit"); }
};

}  // namespace haloscope::test
