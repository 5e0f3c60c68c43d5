#include "render/scene/shown_sets.h"

#include "core/array.h"
#include "core/srgb.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace haloscope::render {

namespace {

using analysis::NamedSet;
using analysis::SelectionKind;
using analysis::ShowSets;
using compute::splotch::Tint;

// A label in file order, the renderer's copy of it, and the same in its own order.
constexpr std::uint64_t kBytesToLabel = 3;

Tint tint_of(const NamedSet& set) {
  Tint tint;
  if (!set.color) return tint;
  for (std::size_t c = 0; c < 3; ++c) tint.color[c] = srgb_to_linear(float((*set.color)[c]));
  tint.strength = 1;
  return tint;
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
  for (const std::uint64_t count : loaded.counts()) particles += count;
  require_host_memory(particles * kBytesToLabel, "the colors of sets");
  SetLabels labels;
  for (std::size_t k = 0; k < loaded.types().size(); ++k)
    labels.push_back(analysis::set_labels(*sets.members, loaded.types()[k], loaded.counts()[k],
                                          loaded.rejected_rows()[k], sets.shown()));
  return labels;
}

std::vector<Tint> tints_of(const ShownSets& sets) {
  if (!sets) return {};
  std::vector<Tint> tints(1);
  if (sets.how == ShowSets::Dim) tints[0].brightness = analysis::kDimmed;
  if (sets.how == ShowSets::Only) tints[0].brightness = 0;
  for (std::size_t k = 0; k < sets.members->sets.size(); ++k) {
    const NamedSet* const set = sets.look(k);
    tints.push_back(set ? tint_of(*set) : tints[0]);
  }
  return tints;
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
  for (auto& appearance : appearances) appearance.tints = tints;
}

void SetColoring::describe(nlohmann::json& scene) const {
  if (!sets_) return;
  nlohmann::json& json = scene["sets"];
  json["rest"] = word(sets_.how);
  for (std::size_t k = 0; k < sets_.members->sets.size(); ++k)
    if (const NamedSet* look = sets_.look(k))
      json["sets"].push_back(described(sets_.members->sets[k], *look));
}

}  // namespace haloscope::render
