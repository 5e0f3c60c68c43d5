#include "analysis/measuring/phase_search.h"

#include "analysis/halos/mean_spacing.h"
#include "analysis/measuring/option_numbers.h"
#include "analysis/measuring/temperature_field.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/choose_types.h"
#include "analysis/snapshot/match_field.h"
#include "core/error.h"
#include "io/loading/derived_fields.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace haloscope::analysis {

namespace {

constexpr int kGasType = 0;

std::string snapshot_file(const SnapshotInfo& info) {
  return info.files.empty() ? std::string() : info.files.front();
}

// Stored, derived, or a component of a stored one.
bool type_has_field(const SnapshotInfo& info, int type, const std::string& field) {
  const TypeInfo& one = info.types.at(type);
  if (one.find(field) || one.find(field.substr(0, field.find('[')))) return true;
  const auto derived = io::derived_fields(info, type);
  return std::any_of(derived.begin(), derived.end(),
                     [&](const FieldInfo& known) { return known.name == field; });
}

class PhasePlanner {
 public:
  PhasePlanner(const SnapshotInfo& info, const PhaseOptions& options)
      : info_(info), options_(options) {}

  PhasePlan plan() {
    check_options(options_);
    PhaseRequest& request = plan_.request;
    const bool usual = options_.x.empty();
    types_ = choose_types(info_, usual && options_.types.empty() ? gas() : options_.types);
    if (usual) {
      choose_usual_fields();
    } else {
      request.x = match_field(info_, types_, options_.x);
      if (!options_.y.empty()) request.y = match_field(info_, types_, options_.y);
    }
    choose_weight();
    leave_out_types();
    request.bins = phase_bins(options_, !request.y.empty());
    request.scales = {options_.x_scale, options_.y_scale};
    request.ranges = {number_range("range_x", options_.range_x),
                      number_range("range_y", options_.range_y)};
    plan_load();
    return std::move(plan_);
  }

 private:
  std::vector<std::string> gas() const {
    const auto found = info_.types.find(kGasType);
    if (found != info_.types.end() && found->second.count > 0) return {"0"};
    throw OptionError("there is no gas in " + snapshot_file(info_) +
                      ", whose density and temperature are the default; choose fields by `x` and "
                      "`y`");
  }

  // Of the first type, which has them as its own names say.
  void choose_usual_fields() {
    const FieldInfo* density = info_.types.at(types_.front()).find(Role::Density);
    const std::string temperature = temperature_field(info_, types_.front());
    if (!density || temperature.empty())
      throw OptionError(fmt::format("{} of {} has no {}; choose fields by `x` and `y`",
                                    info_.types.at(types_.front()).name, snapshot_file(info_),
                                    density ? "temperature" : "density"));
    plan_.request.x = density->name;
    plan_.request.y = temperature;
  }

  void choose_weight() {
    PhaseRequest& request = plan_.request;
    if (options_.weight == "count") {
      request.count = true;
      plan_.words.weight = "particles";
    } else if (options_.weight == "mass" || options_.weight.empty()) {
      plan_.words.weight = "mass";
      plan_.words.weight_unit = io::mass_unit(info_.units);
    } else {
      request.weight = match_field(info_, types_, options_.weight);
      plan_.words.weight = request.weight;
    }
  }

  std::vector<std::string> fields() const {
    std::vector<std::string> all;
    for (const auto& field : {plan_.request.x, plan_.request.y, plan_.request.weight})
      if (!field.empty() && std::find(all.begin(), all.end(), field) == all.end())
        all.push_back(field);
    return all;
  }

  void leave_out_types() {
    std::vector<std::string> without;
    const std::vector<std::string> all = fields();
    std::erase_if(types_, [&](int type) {
      const bool has_all = std::all_of(all.begin(), all.end(), [&](const std::string& field) {
        return type_has_field(info_, type, field);
      });
      if (!has_all) without.push_back(info_.types.at(type).name);
      return !has_all;
    });
    if (types_.empty())
      throw Error(fmt::format("no particle type has {} in the file", fmt::join(all, " and ")),
                  snapshot_file(info_), "choose fields that one type has");
    const bool one = without.size() == 1;
    if (!without.empty())
      plan_.words.said.push_back(
          fmt::format("{} {} {}: left out.", fmt::join(without, " and "),
                      all.size() == 1 ? (one ? "has no" : "have no") : (one ? "lacks" : "lack"),
                      fmt::join(all, " or ")));
    const bool by_mass = !plan_.request.count && plan_.request.weight.empty();
    for (const int type : types_)
      if (by_mass && !has_masses(info_.types.at(type)))
        throw OptionError(fmt::format("{} tells no masses of {}; say `weight` count",
                                      snapshot_file(info_), info_.types.at(type).name));
  }

  void plan_load() {
    FoundPhase& words = plan_.words;
    words.x = plan_.request.x;
    words.y = plan_.request.y;
    words.x_unit = unit_of_field(words.x);
    if (!words.y.empty()) words.y_unit = unit_of_field(words.y);
    if (!plan_.request.weight.empty()) words.weight_unit = unit_of_field(plan_.request.weight);
    const bool by_mass = !plan_.request.count && plan_.request.weight.empty();
    for (const int type : types_) {
      words.types.push_back(info_.types.at(type).name);
      plan_.load.types.push_back({type, fields(), false, by_mass});
    }
  }

  std::string unit_of_field(const std::string& field) const {
    std::string unit;
    for (const int type : types_) {
      const io::FieldPlan plan = io::plan_field(info_, type, field);
      if (plan.components != 1)
        throw Error(fmt::format("{} has {} values per particle", field, plan.components),
                    snapshot_file(info_), fmt::format("choose one, as in {}[0]", field));
      if (unit.empty()) unit = plan.unit;
    }
    return unit;
  }

  const SnapshotInfo& info_;
  const PhaseOptions& options_;
  std::vector<int> types_;
  PhasePlan plan_;
};

void tell_what_is_left_out(FoundPhase& found) {
  const PhaseHistogram& h = found.histogram;
  const auto tell = [&](std::uint64_t count, const std::string& why) {
    if (count > 0)
      found.said.push_back(
          fmt::format("{} particle{} left out: {}.", count, count == 1 ? "" : "s", why));
  };
  tell(h.not_finite, "a value or weight is not a finite number");
  tell(h.no_logarithm, "a value of 0 or less has no place on a logarithmic scale");
  tell(h.outside - h.no_logarithm, "beyond the ends of the bins");
}

}  // namespace

PhasePlan plan_phase(const SnapshotInfo& info, const PhaseOptions& options) {
  return PhasePlanner(info, options).plan();
}

FoundPhase find_phase(const io::SnapshotReader& reader, const PhaseOptions& options,
                      Progress& progress) {
  PhasePlan plan = plan_phase(reader.info(), options);
  const ParticleSet particles = io::load_particles(reader, plan.load, progress);
  FoundPhase found = std::move(plan.words);
  found.said.insert(found.said.end(), particles.assumed.begin(), particles.assumed.end());
  found.histogram = make_phase_histogram(particles, plan.request, progress);
  tell_what_is_left_out(found);
  return found;
}

}  // namespace haloscope::analysis
