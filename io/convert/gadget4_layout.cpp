#include "io/convert/gadget4_layout.h"

#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace haloscope::io {

namespace {

const std::map<Role, std::string>& gadget_names() {
  static const std::map<Role, std::string> names{
      {Role::Position, "Coordinates"}, {Role::Velocity, "Velocities"},
      {Role::Mass, "Masses"},          {Role::Id, "ParticleIDs"},
      {Role::Density, "Density"},      {Role::InternalEnergy, "InternalEnergy"}};
  return names;
}

class Planner {
 public:
  Planner(const SnapshotInfo& info, Gadget4Layout& layout) : info_(info), layout_(layout) {
    const bool cells = info.format.find("AREPO") != std::string::npos ||
                       info.format.find("TNG") != std::string::npos;
    layout.arepo = cells;
    layout.units = info.units;
    layout.hubble_param = info.cosmology.hubble_param;
    if (info.units.per_h) return;
    if (!info.units.comoving) {
      // No h anywhere: 1 makes sure that nobody divides by it.
      layout.hubble_param = 1;
      return;
    }
    fold_h_ = true;
    layout.units.length_cm *= layout.hubble_param;
    layout.units.mass_g *= layout.hubble_param;
    layout.units.per_h = true;
    if (layout.hubble_param != 1)
      layout.said.push_back(
          "The input's units carry no h: in the copy the code length and mass are given per h, "
          "which is the same length and mass.");
  }

  void plan_type(int number, const TypeInfo& type, double weight,
                 const std::vector<std::string>& added) {
    std::set<std::string> used;
    auto& fields = layout_.fields[number];
    for (const auto& [role, name] : type.roles) {
      const auto known = gadget_names().find(role);
      const FieldInfo* field = type.find(name);
      if (known == gadget_names().end() || !field || !used.insert(known->second).second) continue;
      fields.push_back(by_role(*field, role, known->second, weight));
      taken_.insert(name);
    }
    plan_smoothing_length(number, type, used, fields);
    for (const auto& field : type.fields) {
      if (taken_.count(field.name)) continue;
      if (!used.insert(field.name).second) {
        layout_.said.push_back(fmt::format("{} of {} is left out: another field takes its name.",
                                           field.name, type.name));
        continue;
      }
      fields.push_back(plain(field, field.name));
    }
    taken_.clear();
    std::set<std::string> asked;
    for (const std::string& name : added)
      if (asked.insert(name).second) add_field(number, type, name, used, fields);
    if (used.insert(gadget_names().at(Role::Id)).second)
      fields.push_back(row_numbers(number, type));
    if (!type.find(Role::Mass)) {
      layout_.mass_table[number] = (type.uniform_mass > 0 ? type.uniform_mass : 1) * weight;
      if (!(type.uniform_mass > 0))
        layout_.said.push_back(
            fmt::format("{} has no masses in the file: wrote 1 for each.", type.name));
    }
  }

 private:
  void add_field(int number, const TypeInfo& type, const std::string& name,
                 std::set<std::string>& used, std::vector<OutputField>& fields) {
    const auto derived = derived_fields(info_, number);
    const auto found = std::find_if(derived.begin(), derived.end(),
                                    [&](const FieldInfo& one) { return one.name == name; });
    if (found == derived.end()) {
      layout_.said.push_back(
          used.count(name)
              ? fmt::format("{} has its {} in the copy already: not added again.", type.name, name)
          : name == gadget_names().at(Role::Mass) && type.uniform_mass > 0
              ? fmt::format("{} has one mass for all, in the header: not added.", type.name)
          : name.ends_with("]")
              ? fmt::format("{} is one component, which is not written alone: not added to {}.",
                            name, type.name)
              : fmt::format("{} has no {}: not added.", type.name, name));
      return;
    }
    if (!used.insert(name).second) {
      layout_.said.push_back(
          fmt::format("{} of {} is not added: another field takes its name.", name, type.name));
      return;
    }
    OutputField out = plain(*found, name);
    // The speed is that of the velocities beside it.
    const FieldInfo* const velocity = type.find(Role::Velocity);
    if (name == "Speed" && velocity)
      for (const OutputField& one : fields)
        if (one.source == velocity->name) {
          out.factor = one.factor;
          out.scaling = one.scaling;
        }
    out.added = plan_field(info_, number, name);
    if (!out.added->assumed.empty() && said_added_.insert(out.added->assumed).second)
      layout_.said.push_back(out.added->assumed);
    fields.push_back(std::move(out));
  }

  OutputField row_numbers(int number, const TypeInfo& type) {
    OutputField out;
    out.name = gadget_names().at(Role::Id);
    out.scalar = ScalarType::UInt64;
    out.first_row_number = 1;
    bool others = false;
    for (const auto& [other, before] : info_.types) {
      if (other < number) out.first_row_number += before.count;
      others = others || before.find(Role::Id);
    }
    layout_.said.push_back(fmt::format(
        "{} has no IDs in the file: wrote the numbers of its rows, from {}{}.", type.name,
        out.first_row_number, others ? ", which may be IDs of other particles too" : ""));
    return out;
  }

  OutputField plain(const FieldInfo& field, const std::string& name) const {
    OutputField out{field.name, name, field.components, field.scalar, 1, false, field.scaling};
    if (!out.scaling) out.scaling = gadget_scaling(name, info_.units);
    if (out.scaling && fold_h_) {
      FieldScaling& s = *out.scaling;
      const double power = s.length + s.mass;
      s.to_cgs *= std::pow(layout_.hubble_param, power);
      s.h -= power;
    }
    return out;
  }

  OutputField by_role(const FieldInfo& field, Role role, const std::string& name, double weight) {
    OutputField out = plain(field, name);
    if (role == Role::Position) {
      out.position = true;
      out.scalar = ScalarType::Float64;
    } else if (role == Role::Mass) {
      multiply(out, weight);
    } else if (role == Role::Velocity && field.scaling && field.scaling->a != velocity_power()) {
      multiply(out, std::pow(info_.cosmology.scale_factor, field.scaling->a - velocity_power()));
      out.scaling->a = velocity_power();
      if (said_velocity_++ == 0)
        layout_.said.push_back(
            fmt::format("Velocities carry another power of a in the input: written as {}, as this "
                        "layout has them.",
                        info_.units.comoving ? "v/sqrt(a)" : "peculiar ones"));
    } else if (role == Role::InternalEnergy && field.scaling && field.scaling->a != 0) {
      multiply(out, std::pow(info_.cosmology.scale_factor, field.scaling->a));
      out.scaling->a = 0;
      if (said_energy_++ == 0)
        layout_.said.push_back(
            "Internal energies carry a power of a in the input: written as physical ones, as this "
            "layout has them.");
    }
    return out;
  }

  // That of the velocities of a file with such a header: Gadget's where its lengths are comoving.
  double velocity_power() const { return info_.units.comoving ? 0.5 : 0; }

  void plan_smoothing_length(int number, const TypeInfo& type, std::set<std::string>& used,
                             std::vector<OutputField>& fields) {
    const auto meaning = info_.smoothing_lengths.find(number);
    if (meaning == info_.smoothing_lengths.end() ||
        meaning->second.kind != SmoothingLengthMeaning::Kind::Length)
      return;
    const FieldInfo* field = type.find(meaning->second.field);
    const double factor = meaning->second.support_per_value;
    if (!field || taken_.count(field->name) || used.count("SmoothingLength")) return;
    if (factor == 1 && field->name != "SmoothingLengths") return;
    OutputField out = plain(*field, "SmoothingLength");
    multiply(out, factor);
    fields.push_back(out);
    taken_.insert(field->name);
    used.insert("SmoothingLength");
    if (factor != 1)
      layout_.said.push_back(
          fmt::format("SmoothingLength of {} is the kernel's support radius: {} times {}.",
                      type.name, factor, field->name));
  }

  static void multiply(OutputField& field, double factor) {
    field.factor *= factor;
    const bool whole = field.scalar != ScalarType::Float32 && field.scalar != ScalarType::Float64;
    if (field.factor != 1 && whole) field.scalar = ScalarType::Float64;
  }

  const SnapshotInfo& info_;
  Gadget4Layout& layout_;
  bool fold_h_ = false;
  int said_velocity_ = 0, said_energy_ = 0;
  std::set<std::string> said_added_;
  std::set<std::string> taken_;  // of the type at hand: fields with a place
};

}  // namespace

Gadget4Layout plan_gadget4(const SnapshotInfo& info, const std::map<int, double>& weights,
                           const std::vector<std::string>& added) {
  Gadget4Layout layout;
  Planner planner(info, layout);
  for (const auto& [number, weight] : weights)
    planner.plan_type(number, info.types.at(number), weight, added);
  return layout;
}

}  // namespace haloscope::io
