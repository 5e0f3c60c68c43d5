#include "io/loading/derived_fields.h"

#include "core/edit_distance.h"
#include "core/error.h"
#include "io/loading/stellar_ages.h"

#include <fmt/format.h>

namespace haloscope::io {

namespace {

constexpr double kHydrogenFraction = 0.76;
constexpr double kProtonMassG = 1.67262192369e-24;
constexpr double kBoltzmannErgPerK = 1.380649e-16;

const TypeInfo& type_of(const SnapshotInfo& info, int type) {
  const auto found = info.types.find(type);
  if (found != info.types.end()) return found->second;
  std::string present;
  for (const auto& [number, one] : info.types)
    present += (present.empty() ? "" : ", ") + fmt::format("{} ({})", number, one.name);
  throw Error(fmt::format("the snapshot has no particles of type {} ({})", type, type_name(type)),
              info.files.empty() ? "" : info.files.front(),
              present.empty() ? "it has no particles at all" : "it has types " + present);
}

std::optional<FieldPlan> plan_speed(const TypeInfo& type) {
  const FieldInfo* velocity = type.find(Role::Velocity);
  if (!velocity) return {};
  FieldPlan plan;
  plan.kind = FieldPlan::Kind::Speed;
  plan.name = "Speed";
  plan.source = velocity->name;
  plan.source_components = 3;
  plan.unit = velocity->unit;
  return plan;
}

std::optional<FieldPlan> plan_temperature(const TypeInfo& type) {
  const FieldInfo* energy = type.find(Role::InternalEnergy);
  if (!energy || type.find(Role::Temperature)) return {};
  FieldPlan plan;
  plan.kind = FieldPlan::Kind::Temperature;
  plan.name = "Temperature";
  plan.source = energy->name;
  plan.unit = "K";
  if (const FieldInfo* electrons = type.find(Role::ElectronAbundance)) {
    plan.second = electrons->name;
    plan.assumed = fmt::format(
        "Temperature of {} is computed from InternalEnergy and ElectronAbundance, for 76 % "
        "hydrogen "
        "and gamma = 5/3.",
        type.name);
  } else {
    plan.assumed = fmt::format(
        "Temperature of {} is computed from InternalEnergy for a fully ionized gas of 76 % "
        "hydrogen "
        "and gamma = 5/3: ElectronAbundance is not in the file.",
        type.name);
  }
  return plan;
}

// The mass fraction of metals; null: the type has none.
const FieldInfo* metals_of(const TypeInfo& type) {
  for (const char* name : {"GFM_Metallicity", "Metallicity", "MetalMassFractions", "Metallicities"})
    if (const FieldInfo* field = type.find(name)) return field;
  return nullptr;
}

std::optional<FieldPlan> plan_stellar(const SnapshotInfo& info, const TypeInfo& type, bool color) {
  const FieldInfo* formed = type.find(Role::FormationTime);
  if (!formed || formed->components != 1 || !knows_ages(info)) return {};
  FieldPlan plan;
  plan.kind = color ? FieldPlan::Kind::StarColor : FieldPlan::Kind::StellarAge;
  plan.name = color ? kStarColor : kStellarAge;
  plan.source = formed->name;
  plan.unit = color ? "" : "Gyr";
  plan.assumed = fmt::format("{} of {} is computed from {}, which is {}", plan.name, type.name,
                             formed->name, formation_in_words(info));
  if (!color) {
    plan.assumed += ".";
    return plan;
  }
  plan.components = 3;
  if (const FieldInfo* metals = metals_of(type)) plan.second = metals->name;
  plan.assumed += plan.second.empty()
                      ? ", and for the Sun's metals: the file has none of its own."
                      : fmt::format(", and {}, the mass fraction of metals.", plan.second);
  return plan;
}

// "Velocities[2]"
std::optional<FieldPlan> plan_component(const SnapshotInfo& info, const TypeInfo& type,
                                        const std::string& field) {
  const std::size_t open = field.find('[');
  if (open == std::string::npos || field.back() != ']') return {};
  const FieldInfo* stored = type.find(field.substr(0, open));
  const std::string digits = field.substr(open + 1, field.size() - open - 2);
  if (!stored || digits.empty() || digits.size() > 6 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return {};
  FieldPlan plan;
  plan.kind = FieldPlan::Kind::Component;
  plan.name = field;
  plan.source = stored->name;
  plan.source_components = stored->components;
  plan.component = std::stoi(digits);
  plan.unit = stored->unit;
  if (plan.component >= stored->components)
    throw Error(fmt::format("field {} of {} has {} component{}, counted from 0: there is no {}",
                            stored->name, type.name, stored->components,
                            stored->components == 1 ? "" : "s", field),
                info.files.empty() ? "" : info.files.front());
  return plan;
}

[[noreturn]] void unknown_field(const SnapshotInfo& info, int type, const std::string& field) {
  const TypeInfo& one = info.types.at(type);
  std::vector<std::string> names;
  for (const auto& stored : one.fields) names.push_back(stored.name);
  for (const auto& derived : derived_fields(info, type)) names.push_back(derived.name);
  std::string remedy = "it has no fields at all";
  if (!names.empty()) {
    const auto nearest = nearest_word(field, names);
    remedy = (nearest ? "did you mean " + *nearest + "? " : std::string()) +
             fmt::format("It has {}", fmt::join(names, ", "));
  }
  throw Error(fmt::format("type {} ({}) has no field {}", type, one.name, field),
              info.files.empty() ? "" : info.files.front(), remedy);
}

}  // namespace

FieldPlan plan_field(const SnapshotInfo& info, int type, const std::string& field) {
  const TypeInfo& one = type_of(info, type);
  if (const FieldInfo* stored = one.find(field)) {
    FieldPlan plan;
    plan.name = plan.source = field;
    plan.source_components = plan.components = stored->components;
    plan.unit = stored->unit;
    return plan;
  }
  if (auto plan = plan_component(info, one, field)) return *plan;
  if (field == "Speed")
    if (auto plan = plan_speed(one)) return *plan;
  if (field == "Temperature")
    if (auto plan = plan_temperature(one)) return *plan;
  if (field == kStellarAge || field == kStarColor)
    if (auto plan = plan_stellar(info, one, field == kStarColor)) return *plan;
  if (const MadeField* made = one.find_made(field)) {
    FieldPlan plan;
    plan.name = plan.source = field;
    plan.unit = made->info.unit;
    plan.assumed = made->sentence;
    return plan;
  }
  unknown_field(info, type, field);
}

std::vector<FieldInfo> derived_fields(const SnapshotInfo& info, int type) {
  const TypeInfo& one = type_of(info, type);
  std::vector<FieldInfo> fields;
  for (const auto& plan : {plan_temperature(one), plan_speed(one), plan_stellar(info, one, false),
                           plan_stellar(info, one, true)})
    if (plan && !one.find(plan->name))
      fields.push_back({plan->name, plan->components, ScalarType::Float32, plan->unit});
  for (const MadeField& made : one.made) fields.push_back(made.info);
  return fields;
}

double temperature_k(double specific_energy, double mean_molecular_weight) {
  return 2.0 / 3.0 * specific_energy * mean_molecular_weight * kProtonMassG / kBoltzmannErgPerK;
}

double mean_molecular_weight(double electrons) {
  return 4 / (1 + 3 * kHydrogenFraction + 4 * kHydrogenFraction * electrons);
}

}  // namespace haloscope::io
