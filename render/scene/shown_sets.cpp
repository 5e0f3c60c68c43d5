#include "render/scene/shown_sets.h"

#include "core/array.h"
#include "core/srgb.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace haloscope::render {

namespace {

using analysis::NamedSet;
using analysis::SelectionKind;
using analysis::ShowSets;
using compute::splotch::Tint;

// A label in file order, the renderer's copy of it, and the same in its own order.
constexpr std::uint64_t kBytesToLabel = 3;

// How many times its own light a set has. Light adds up along the line of sight and the tone curve
// is near a logarithm: between the median pixel and white lie two to three decades, of which the
// members of a halo must bridge up to two to be seen before and behind brighter matter, its outer
// ones too. Dimming gives one decade, so that a factor of 8 is enough there. Powers of two leave
// the light of the rest as it is, to the last bit.
constexpr float kHighlighted = 64, kOverDimmed = 8;

// How far above the brightest of the rest white lies with a highlight: colors fade to white near
// that, and a set at white would be as pale as the rest's halos. The rest pays with an eighth to a
// quarter of its brightest display values; its median stays.
constexpr float kHeadroom = 8;

float light_of_sets(ShowSets how) {
  return how == ShowSets::Highlight ? kHighlighted : how == ShowSets::Dim ? kOverDimmed : 1;
}

Tint tint_of(const NamedSet& set) {
  Tint tint;
  if (!set.color) return tint;
  for (std::size_t c = 0; c < 3; ++c) tint.color[c] = srgb_to_linear(float((*set.color)[c]));
  tint.strength = 1;
  return tint;
}

// Of all particles, those in sets that are shown; a particle in two of them counts twice.
double share_of_particles(const ShownSets& sets) {
  double all = 0, in_sets = 0;
  for (const auto& [type, rows] : sets.members->of) all += double(rows.size());
  for (std::size_t k = 0; k < sets.members->counts.size(); ++k)
    if (sets.shown() >> k & 1u) in_sets += double(sets.members->counts[k]);
  return all > 0 ? std::min(1., in_sets / all) : 0;
}

// How much of the dimming the automatic exposure must leave, from 0 to 1. Of few particles in sets
// all: the median pixel is one of the rest, and exposing it as usual would undo the dimming. Of
// nearly all particles nothing: the median pixel is one of the sets, which are not dimmed.
float share_of_dimming(double share_in_sets) {
  constexpr double kFew = 0.25, kMost = 0.75;
  return float(std::clamp((kMost - share_in_sets) / (kMost - kFew), 0., 1.));
}

const char* word(ShowSets how) {
  return how == ShowSets::Dim ? "dim" : how == ShowSets::Only ? "only" : "highlight";
}

nlohmann::json described(const analysis::SelectionChoice& chosen) {
  static const char* const kKinds[] = {"none",        "box",    "sphere",  "piece", "value",
                                       "found_value", "branch", "outline", "pieces"};
  nlohmann::json json;
  json["kind"] = kKinds[int(chosen.kind)];
  if (chosen.kind == SelectionKind::Box) {
    json["low"] = chosen.low;
    json["high"] = chosen.high;
  }
  if (chosen.kind == SelectionKind::Sphere) {
    json["center"] = chosen.center;
    json["radius"] = chosen.radius;
    if (chosen.inner) json["inner"] = *chosen.inner;
  }
  if (chosen.kind == SelectionKind::Piece || chosen.kind == SelectionKind::Branch)
    json["piece"] = chosen.piece;
  if (chosen.kind == SelectionKind::Outline && chosen.outline) {
    json["middle"] = chosen.outline->middle;
    for (const auto& corner : chosen.outline->corners) json["corners"].push_back(corner.at);
  }
  if (chosen.second_limits) {
    json["second_field"] = chosen.second_field;
    json["second_limits"] = *chosen.second_limits;
  }
  if (chosen.kind == SelectionKind::Value || chosen.kind == SelectionKind::FoundValue ||
      chosen.kind == SelectionKind::Pieces) {
    json["field"] = chosen.field;
    json["limits"] = chosen.limits;
  }
  if (!chosen.numbers.empty()) json["numbers"] = chosen.numbers;
  if (chosen.of_finding()) json["finder"] = chosen.finder;
  if (chosen.follow_ids) json["follow_ids"] = true;
  if (chosen.made_in > 0) json["made_in"] = chosen.made_in;
  return json;
}

nlohmann::json described(const analysis::SetOperand& operand) {
  if (operand.set.empty()) return described(operand.selection);
  return operand.set;
}

nlohmann::json described(const NamedSet& set, const NamedSet& look) {
  static const char* const kOperations[] = {"", "union", "intersection", "difference"};
  nlohmann::json json;
  json["name"] = set.name;
  json["of"] = described(set.first);
  if (set.operation != analysis::SetOperation::None) {
    json["operation"] = kOperations[int(set.operation)];
    json["and"] = described(set.second);
  }
  json["color"] = look.color ? analysis::color_text(*look.color) : "own";
  if (!look.shown) json["shown"] = false;
  return json;
}

}  // namespace

const NamedSet* ShownSets::look(std::size_t k) const {
  const auto found = analysis::find_set(sets, members->sets[k].name);
  return found ? &sets[*found] : nullptr;
}

std::uint16_t ShownSets::shown() const {
  unsigned bits = 0;
  for (std::size_t k = 0; members && k < members->sets.size(); ++k)
    if (const NamedSet* set = look(k); set && set->shown) bits |= 1u << k;
  return std::uint16_t(bits);
}

bool ShownSets::same_labels(const ShownSets& other) const {
  if (!*this || !other) return !*this && !other;
  return members == other.members && shown() == other.shown();
}

bool ShownSets::operator==(const ShownSets& other) const {
  if (!*this || !other) return !*this && !other;
  return members == other.members && how == other.how && sets == other.sets;
}

SetLabels labels_of(const ShownSets& sets, const LoadedParticles& loaded) {
  std::uint64_t particles = 0;
  for (const std::uint64_t count : loaded.own_counts()) particles += count;
  require_host_memory(particles * kBytesToLabel, "the colors of sets");
  SetLabels labels;
  for (std::size_t k = 0; k < loaded.types().size(); ++k)
    labels.push_back(analysis::set_labels(*sets.members, loaded.types()[k], loaded.own_counts()[k],
                                          loaded.rejected_rows()[k], sets.shown(),
                                          loaded.own_rows()[k]));
  return labels;
}

std::vector<Tint> tints_of(const ShownSets& sets) {
  if (!sets) return {};
  std::vector<Tint> tints(1);
  const float rest = sets.how == ShowSets::Only  ? 0
                     : sets.how == ShowSets::Dim ? analysis::kDimmed
                                                 : 1;
  tints[0].brightness = rest / light_of_sets(sets.how);
  for (std::size_t k = 0; k < sets.members->sets.size(); ++k) {
    const NamedSet* const set = sets.look(k);
    tints.push_back(set ? tint_of(*set) : tints[0]);
  }
  return tints;
}

compute::splotch::LightQuantiles exposed_with_sets(compute::splotch::LightQuantiles light,
                                                   const ShownSets& sets) {
  if (!sets) return light;
  if (sets.how == ShowSets::Highlight) light.bright *= kHeadroom;
  if (sets.how == ShowSets::Dim) {
    const float factor = std::pow(analysis::kDimmed, -share_of_dimming(share_of_particles(sets)));
    light.median *= factor;
    light.bright *= factor;
  }
  return light;
}

void SetColoring::set(ShownSets sets, const LoadedParticles& loaded,
                      compute::splotch::Renderer& renderer) {
  // As with colors: what failed was told then, and trying again would cost with each picture.
  if (sets && sets.members == failed_.lock()) return;
  failed_.reset();
  if (sets.same_labels(sets_)) {
    sets_ = std::move(sets);
    return;
  }
  if (!sets) {
    sets_ = {};
    return renderer.label({});
  }
  try {
    set_labels(sets, labels_of(sets, loaded), renderer);
  } catch (...) {
    sets_ = {};
    failed_ = sets.members;
    renderer.label({});
    throw;
  }
}

void SetColoring::set_labels(ShownSets sets, const SetLabels& labels,
                             compute::splotch::Renderer& renderer) {
  std::vector<const std::uint8_t*> columns;
  for (const auto& column : labels) columns.push_back(column.data());
  renderer.label(columns);
  sets_ = std::move(sets);
}

void SetColoring::adapt(std::vector<compute::splotch::Appearance>& appearances) const {
  if (!sets_) return;
  const std::vector<Tint> tints = tints_of(sets_);
  // Tints only take light away: the renderer bounds the light of particles by their type's.
  for (auto& appearance : appearances) {
    appearance.tints = tints;
    appearance.brightness *= light_of_sets(sets_.how);
  }
}

void SetColoring::describe(nlohmann::json& scene) const {
  if (!sets_) return;
  nlohmann::json& json = scene["sets"];
  json["rest"] = word(sets_.how);
  json["light"] = light_of_sets(sets_.how);
  for (std::size_t k = 0; k < sets_.members->sets.size(); ++k)
    if (const NamedSet* look = sets_.look(k))
      json["sets"].push_back(described(sets_.members->sets[k], *look));
}

}  // namespace haloscope::render
