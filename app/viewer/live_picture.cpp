#include "app/viewer/live_picture.h"

#include "core/error.h"

#include <utility>

namespace haloscope::app::viewer {

namespace {

// A picture in full is begun when nothing has changed for so long, s: a little more than a frame of
// a moving mouse, at 60 a second.
constexpr double kRest = 0.017;
constexpr std::uint64_t kNotAsked = ~std::uint64_t(0);  // the request has failed: nothing will come

}  // namespace

void LivePicture::set_scene(std::shared_ptr<OpenScene> scene) {
  scene_ = std::move(scene);
  drawer_.set_scene(scene_);
  wanted_.reset();
  complete_serial_ = 0;
  busy_ = false;
}

void LivePicture::clear() {
  set_scene({});
  shown_.reset();
  new_picture_ = false;
  map_in_full_ = {};
}

void LivePicture::want(const Wanted& wanted, double now, bool patient) {
  if (!scene_) return;
  frame_log_.want(wanted.camera, now);
  const bool changed = !wanted_ || !(*wanted_ == wanted);
  const bool recolored = wanted_ && !(wanted_->colors == wanted.colors);
  const bool labeled = wanted_ && !wanted_->sets.same_labels(wanted.sets);
  // The next request is the first that shows them.
  if (recolored) frame_log_.want_pieces(drawer_.serial() + 1, now);
  // Nothing is seen yet of a scene that was just opened: a coarse picture would only cost time.
  const bool first = !wanted_;
  if (changed) {
    wanted_ = wanted;
    changed_at_ = now;
    asked_in_full_ = false;
    complete_serial_ = 0;
    if (!patient && !first) return ask(recolored || labeled ? Pace::recolored : Pace::moving);
  } else if (wanted_->colors.finding != wanted.colors.finding) {
    // Pieces that were measured meanwhile: they look the same, and have their labels for good.
    wanted_->colors = wanted.colors;
  }
  if (asked_in_full_ || (!patient && !first && now - changed_at_ < kRest)) return;
  ask(Pace::full);
}

void LivePicture::ask(Pace pace) {
  const bool full = pace == Pace::full;
  asked_in_full_ = full;
  busy_ = true;
  if (full) complete_serial_ = kNotAsked;
  session::State looks;
  looks.types = wanted_->types;
  try {
    drawer_.draw({wanted_->camera,
                  wanted_->width,
                  wanted_->height,
                  {appearances_of(scene_->model, looks), wanted_->colors, wanted_->slab,
                   wanted_->sets, wanted_->map}},
                 pace);
  } catch (const Error& error) {
    return failed_(error.what());
  }
  if (full) complete_serial_ = drawer_.serial();
}

void LivePicture::receive() {
  // Asked before the taking: a picture that is finished in between is taken next time.
  busy_ = drawer_.status().busy;
  auto drawn = drawer_.take();
  if (!drawn) return;
  shown_ = PictureFacts{drawn->camera,
                        drawn->coarseness.divisor,
                        drawn->milliseconds,
                        drawn->counts,
                        drawn->coarseness.sample,
                        drawn->curve,
                        {},
                        drawn->map,
                        {},
                        drawn->map_look};
  if (drawn->map) {
    const bool held = map_in_full_.shown && map_in_full_ == drawn->map_look;
    shown_->map_color = held && !drawn->coarseness.full() ? color_in_full_ : drawn->map->automatic;
    if (drawn->coarseness.full()) {
      map_in_full_ = drawn->map_look;
      color_in_full_ = drawn->map->automatic;
    }
  }
  new_picture_ = true;
  // A picture of a moving camera may have been drawn in full: then no other one need follow.
  if (drawn->coarseness.full() && drawn->serial == drawer_.serial()) {
    asked_in_full_ = true;
    complete_serial_ = drawn->serial;
  }
  shown_serial_ = drawn->serial;
  shown_at_rest_ = drawn->pace == Pace::full;
  shown_phases_ = std::move(drawn->phases);
  if (drawn->map)
    light_.reset();
  else
    light_ = std::move(drawn->light);
}

void LivePicture::note_frame(double now) {
  if (!std::exchange(new_picture_, false)) return;
  frame_log_.shown(now, {shown_->milliseconds, shown_serial_, shown_serial_ == complete_serial_,
                         shown_at_rest_, shown_->sample, &shown_phases_});
}

bool LivePicture::busy() const {
  if (!scene_) return false;
  return !wanted_ || complete_serial_ == 0 || busy_;
}

std::optional<std::uint64_t> LivePicture::complete() const {
  if (!shown_ || busy() || shown_serial_ != complete_serial_) return {};
  return shown_serial_;
}

std::optional<double> LivePicture::refine_at() const {
  if (!scene_ || !wanted_ || asked_in_full_) return {};
  return changed_at_ + kRest;
}

}  // namespace haloscope::app::viewer
