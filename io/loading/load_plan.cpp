#include "io/loading/load_plan.h"

#include "core/error.h"
#include "io/bytes/saturating.h"
#include "io/loading/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace haloscope::io {

namespace {

using Request = LoadRequest::Type;

void require_scalar(const SnapshotInfo& info, const TypeInfo& type, const std::string& field) {
  const FieldInfo* found = type.find(field);
  if (found && found->components != 1)
    throw BadFile(
        fmt::format("dataset {} ({}) has the wrong shape: expected one value per particle, "
                    "found {}",
                    field, type.name, found->components),
        info.files.front());
}

TypePlan plan_type(const SnapshotInfo& info, const Request& request) {
  TypePlan plan;
  plan.type = request.type;
  std::set<std::string> seen;
  for (const auto& field : request.fields)
    if (seen.insert(field).second) plan.fields.push_back(plan_field(info, request.type, field));
  if (!info.types.count(request.type)) plan_field(info, request.type, {});  // throws the sentence
  plan.info = &info.types.at(request.type);
  const auto meaning = info.smoothing_lengths.find(request.type);
  const bool known = meaning != info.smoothing_lengths.end() &&
                     (!meaning->second.field.empty() ||
                      meaning->second.kind == SmoothingLengthMeaning::Kind::MassOverDensity);
  if (request.smoothing_length && known) plan.smoothing_length = &meaning->second;
  plan.mass = request.mass;
  plan.mass_field =
      request.mass && plan.info->uniform_mass == 0 && plan.info->find(Role::Mass) != nullptr;
  if (plan.smoothing_length) {
    if (!plan.smoothing_length->field.empty())
      require_scalar(info, *plan.info, plan.smoothing_length->field);
    if (plan.smoothing_length->kind == SmoothingLengthMeaning::Kind::MassOverDensity)
      require_scalar(info, *plan.info, plan.smoothing_length->density);
  }
  return plan;
}

}  // namespace

std::uint64_t TypePlan::bytes_per_particle() const {
  std::uint64_t bytes = 3 * sizeof(std::uint32_t);
  if (smoothing_length) bytes += sizeof(float);
  if (mass_field) bytes += sizeof(float);
  for (const auto& field : fields) bytes += sizeof(float) * std::uint64_t(field.components);
  return bytes;
}

std::vector<TypePlan> plan_types(const SnapshotInfo& info, const LoadRequest& request) {
  std::vector<TypePlan> plans;
  for (const auto& one : request.types) {
    const bool twice = std::any_of(plans.begin(), plans.end(),
                                   [&](const TypePlan& plan) { return plan.type == one.type; });
    if (twice)
      throw Error(fmt::format("particle type {} is asked for twice", one.type),
                  info.files.empty() ? "" : info.files.front());
    plans.push_back(plan_type(info, one));
  }
  return plans;
}

std::uint64_t estimate_memory(const SnapshotInfo& info, const LoadRequest& request) {
  const auto plans = plan_types(info, request);
  std::vector<std::uint64_t> counts;
  for (const auto& plan : plans) counts.push_back(plan.info->count);
  const std::uint64_t every = sampling_step(counts, request.selection);
  std::uint64_t bytes = 0;
  for (const auto& plan : plans)
    bytes = saturating_sum(
        bytes, saturating_product(plan.bytes_per_particle(),
                                  plan.info->count / every + (plan.info->count % every != 0)));
  return bytes;
}

}  // namespace haloscope::io
