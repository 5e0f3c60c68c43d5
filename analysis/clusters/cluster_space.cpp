#include "analysis/clusters/cluster_space.h"

#include "analysis/halos/halo_search.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/match_field.h"
#include "analysis/snapshot/peculiar_velocities.h"
#include "compute/clusters/spanning_tree.h"
#include "core/error.h"
#include "core/particles.h"
#include "core/text_values.h"
#include "io/loading/derived_fields.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace haloscope::analysis {

namespace {

constexpr std::size_t kMostDimensions = compute::clusters::LatticePoints::kMostDimensions;

// Faults of texts name the option as a flag would; here it is an option.
std::vector<std::string> words_of(const std::string& option, const std::string& text) {
  try {
    return parse_list(marked(option), text);
  } catch (const Error& error) {
    throw OptionError(error.what());
  }
}

std::size_t quantities_of(const ClusterSpace& space) {
  return space.kind == ClusterSpace::Kind::Phase ? 2 : space.fields.size();
}

SpaceQuantity positions_of(const SnapshotInfo& info) {
  SpaceQuantity quantity;
  quantity.source = SpaceQuantity::Source::Positions;
  quantity.name = "positions";
  quantity.unit = io::length_unit(info.units);
  quantity.components = 3;
  return quantity;
}

std::vector<SpaceQuantity> phase_of(const SnapshotInfo& info, const std::vector<int>& types) {
  for (const int type : types)
    if (velocity_field(info.types.at(type)).empty())
      throw Error(fmt::format("{} has no velocities, which phase space is made of",
                              info.types.at(type).name),
                  info.files.front(), "choose other types, or another --space");
  SpaceQuantity velocities;
  velocities.source = SpaceQuantity::Source::Velocities;
  velocities.name = "velocities";
  velocities.unit = io::velocity_unit(info.units);
  velocities.components = 3;
  return {positions_of(info), velocities};
}

// A field, or one axis, that is the position of particles lies in their lattice.
bool is_position(const SnapshotInfo& info, const std::vector<int>& types,
                 const std::string& source) {
  return std::all_of(types.begin(), types.end(), [&](int type) {
    const FieldInfo* position = info.types.at(type).find(Role::Position);
    return position && position->name == source;
  });
}

SpaceQuantity field_of(const SnapshotInfo& info, const std::vector<int>& types,
                       const std::string& word) {
  const std::string field = match_field(info, types, word);
  const io::FieldPlan plan = io::plan_field(info, types.front(), field);
  for (const int type : types) {
    const io::FieldPlan other = io::plan_field(info, type, field);
    if (other.components != plan.components)
      throw Error(fmt::format("{} has {} values per particle of {} and {} of {}", field,
                              plan.components, info.types.at(types.front()).name, other.components,
                              info.types.at(type).name),
                  info.files.front(), "choose one type, or name a component");
  }
  SpaceQuantity quantity;
  const bool whole = plan.kind == io::FieldPlan::Kind::Stored;
  if ((whole || plan.kind == io::FieldPlan::Kind::Component) &&
      is_position(info, types, plan.source)) {
    quantity = positions_of(info);
    quantity.components = plan.components;
    quantity.first = plan.component;
  }
  quantity.name = quantity.field = field;
  if (quantity.unit.empty()) quantity.unit = plan.unit;
  quantity.components = plan.components;
  return quantity;
}

void require_dimensions(const std::vector<SpaceQuantity>& quantities) {
  const std::size_t dimensions = dimensions_of(quantities);
  if (dimensions <= kMostDimensions) return;
  std::string parts;
  for (const SpaceQuantity& one : quantities)
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", one.name, one.components);
  throw OptionError(fmt::format("the fields have {} components together ({}), and a space has {} "
                                "dimensions at most",
                                dimensions, parts, kMostDimensions),
                    marked("space"), "name fewer, or components such as Velocities[2]");
}

}  // namespace

std::vector<double> parse_scale(const std::string& scale) {
  std::vector<double> numbers;
  if (scale.empty()) return numbers;
  for (const std::string& word : words_of("scale", scale)) {
    try {
      numbers.push_back(parse_number(marked("scale"), word));
    } catch (const Error& error) {
      throw OptionError(error.what());
    }
    if (!(numbers.back() > 0))
      throw OptionError(fmt::format("'{}' is not above 0", word), marked("scale"),
                        "give positive numbers");
  }
  return numbers;
}

ClusterSpace parse_space(const std::string& space, const std::string& scale) {
  ClusterSpace parsed;
  const std::string word = lower_case(space);
  if (word == "phase") {
    parsed.kind = ClusterSpace::Kind::Phase;
  } else if (!word.empty() && word != "positions") {
    parsed.kind = ClusterSpace::Kind::Fields;
    parsed.fields = words_of("space", space);
  }
  parsed.scale = parse_scale(scale);
  if (parsed.scale.empty()) return parsed;
  if (parsed.kind == ClusterSpace::Kind::Positions)
    throw OptionError("positions alone are measured in the file's own lengths", marked("scale"),
                      "leave it out, or name another `space`");
  if (parsed.scale.size() != quantities_of(parsed))
    throw OptionError(
        fmt::format("there {} {} number{} for {}", parsed.scale.size() == 1 ? "is" : "are",
                    parsed.scale.size(), parsed.scale.size() == 1 ? "" : "s",
                    parsed.kind == ClusterSpace::Kind::Phase
                        ? std::string("positions and velocities")
                        : fmt::format("{} field{}", parsed.fields.size(),
                                      parsed.fields.size() == 1 ? "" : "s")),
        marked("scale"),
        parsed.kind == ClusterSpace::Kind::Phase ? "give a length and a velocity"
                                                 : "give one for each field");
  return parsed;
}

std::vector<SpaceQuantity> plan_space(const SnapshotInfo& info, const std::vector<int>& types,
                                      const ClusterSpace& space) {
  std::vector<SpaceQuantity> quantities;
  if (space.kind == ClusterSpace::Kind::Positions) return {positions_of(info)};
  if (space.kind == ClusterSpace::Kind::Phase) quantities = phase_of(info, types);
  for (const std::string& word : space.fields) {
    SpaceQuantity one = field_of(info, types, word);
    if (std::any_of(quantities.begin(), quantities.end(),
                    [&](const SpaceQuantity& other) { return other.field == one.field; }))
      throw OptionError(fmt::format("{} is named twice", one.field), marked("space"),
                        "name each field once");
    quantities.push_back(std::move(one));
  }
  require_dimensions(quantities);
  const auto positions = std::count_if(quantities.begin(), quantities.end(), [](const auto& one) {
    return one.source == SpaceQuantity::Source::Positions;
  });
  if (info.periodic && positions > 1)
    throw OptionError("positions of a periodic box are divided by one number", marked("space"),
                      "name them once, as a whole or by one axis");
  for (std::size_t k = 0; k < space.scale.size(); ++k) quantities[k].scale = space.scale[k];
  // Trees take positions before all else; distances do not hang on the order.
  std::stable_partition(quantities.begin(), quantities.end(), [](const SpaceQuantity& one) {
    return one.source == SpaceQuantity::Source::Positions;
  });
  return quantities;
}

std::size_t dimensions_of(const std::vector<SpaceQuantity>& quantities) {
  std::size_t sum = 0;
  for (const SpaceQuantity& one : quantities) sum += std::size_t(one.components);
  return sum;
}

}  // namespace haloscope::analysis
