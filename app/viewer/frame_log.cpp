#include "app/viewer/frame_log.h"

#include "analysis/snapshot/json_text.h"
#include "core/atomic_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace haloscope::app::viewer {

namespace {

// A pause of the camera that is longer ends a motion, s.
constexpr double kPause = 0.1;

nlohmann::json summary(std::vector<double> values) {
  if (values.empty()) return {{"count", 0}};
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return values[std::min(values.size() - 1, std::size_t(part * double(values.size())))];
  };
  return {
      {"count", values.size()}, {"median", at(0.5)}, {"p99", at(0.99)}, {"longest", values.back()}};
}

}  // namespace

void FrameLog::want(const session::Camera& camera, double now) {
  if (camera_ && *camera_ == camera) return;
  if (camera_ && now - changed_at_ > kPause) {
    last_.reset();
    if (refined_) refining_.push_back(*refined_);
  }
  moved_ = camera_.has_value();
  camera_ = camera;
  changed_at_ = now;
  refined_.reset();
}

void FrameLog::shown(double now, const Shown& picture) {
  if (!first_) first_ = now;
  // A picture that was asked for before the change may still come.
  if (pieces_wanted_since_ && picture.serial >= first_with_pieces_) {
    recoloring_.push_back(1e3 * (now - *std::exchange(pieces_wanted_since_, {})));
    taking_pieces_.push_back(1e3 * pieces_taking_);
    drawing_pieces_.push_back(picture.drawing_ms);
  }
  if (picture.full) {
    if (const auto since = std::exchange(pieces_coarse_since_, {}))
      recoloring_in_full_.push_back(1e3 * (now - *since));
  }
  if (!picture.at_rest) {
    const bool moves = now - changed_at_ <= kPause;
    if (moves) add_drawing(picture);
    if (moves && last_) intervals_.push_back(1e3 * (now - *last_));
    last_ = now;
  }
  // The first picture of all ends no motion.
  if (picture.full && moved_ && !refined_) refined_ = 1e3 * (now - changed_at_);
}

void FrameLog::add_drawing(const Shown& picture) {
  drawing_.push_back(picture.drawing_ms);
  samples_.push_back(picture.sample);
  if (!picture.phases) return;
  const Timings summed = picture.phases->summed();
  for (const auto& [phase, ms] : summed.samples()) phases_[phase].push_back(ms.front());
}

void FrameLog::write(const std::string& path, bool interop, const std::string& renderer) const {
  // The last motion has ended too.
  std::vector<double> refining = refining_;
  if (refined_) refining.push_back(*refined_);
  nlohmann::json json{{"opengl", renderer},
                      {"interop", interop},
                      {"moving_interval_ms", summary(intervals_)},
                      {"moving_drawing_ms", summary(drawing_)},
                      {"moving_phases_ms", nlohmann::json::object()},
                      {"moving_sample", summary(samples_)},
                      {"refined_after_ms", summary(refining)},
                      {"pieces_shown_after_ms", summary(recoloring_)},
                      {"pieces_taking_ms", summary(taking_pieces_)},
                      {"pieces_drawing_ms", summary(drawing_pieces_)},
                      {"pieces_in_full_after_ms", summary(recoloring_in_full_)}};
  for (const auto& [phase, ms] : phases_) json["moving_phases_ms"][phase] = summary(ms);
  if (first_) json["first_picture_s"] = *first_;
  AtomicFile file(path);
  const std::string text = analysis::json_text(json) + "\n";
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace haloscope::app::viewer
