#include "app/halo_search.h"

#include "app/choose_types.h"
#include "compute/splotch/renderer.h"
#include "core/error.h"
#include "io/loading/particle_loader.h"
#include "io/snapshots/gadget_softening.h"
#include "io/snapshots/gadget_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace haloscope::app {

namespace {

namespace halos = compute::halos;

constexpr int kDarkMatter = 1;

class Search {
 public:
  Search(const io::SnapshotReader& reader, const HaloSearchRequest& request, Progress& progress)
      : reader_(reader), info_(reader.info()), request_(request), progress_(progress) {}

  HaloSearch run() {
    choose();
    check_numbers();
    choose_tools();
    load();
    set_linking_length();
    if (request_.wants_substructure()) check_substructure();
    set_softening();
    find();
    return std::move(found_);
  }

 private:
  void choose() {
    linked_ = request_.types.empty() ? default_types() : choose_types(info_, request_.types);
    if (!request_.attach.empty()) attached_ = choose_types(info_, request_.attach);
    for (const int type : attached_)
      if (std::find(linked_.begin(), linked_.end(), type) != linked_.end())
        throw Error(
            fmt::format("{} is asked for twice: linked and attached", info_.types.at(type).name),
            "--attach", "name each type once");
  }

  std::vector<int> default_types() {
    const auto dark = info_.types.find(kDarkMatter);
    if (dark != info_.types.end() && dark->second.find(Role::Position)) return {kDarkMatter};
    const std::vector<int> all = choose_types(info_, {});
    const int most = *std::max_element(all.begin(), all.end(), [&](int a, int b) {
      return info_.types.at(a).count < info_.types.at(b).count;
    });
    found_.said.push_back(fmt::format("There is no dark matter: {} particles are linked.",
                                      info_.types.at(most).name));
    return {most};
  }

  void check_numbers() const {
    if (request_.epsilon && !(*request_.epsilon > 0 && std::isfinite(*request_.epsilon)))
      throw Error("the linking length must be a positive number", "--epsilon");
    if (!(request_.spacings > 0 && std::isfinite(request_.spacings)))
      throw Error("the linking length must be a positive number", "--linking-length");
    if (request_.min_points < 2) throw Error("must be at least 2", "--min-points");
    if (request_.softening && !(*request_.softening > 0 && std::isfinite(*request_.softening)))
      throw Error("must be a positive number", "--softening");
    if (!request_.wants_substructure() && (request_.sub_min_points || request_.sub_halos))
      throw Error("there is no search inside the halos",
                  request_.sub_halos ? "--sub-halos" : "--sub-min-points",
                  "add --sub-linking-length or --sub-epsilon");
    if (request_.min_members < 1) throw Error("must be at least 1", "--min-members");
    for (const auto& [length, option] : {std::pair(request_.sub_epsilon, "--sub-epsilon"),
                                         std::pair(request_.sub_spacings, "--sub-linking-length")})
      if (length && !(*length > 0 && std::isfinite(*length)))
        throw Error("the linking length must be a positive number", option);
    const bool in_spacings = !request_.epsilon || request_.sub_spacings;
    if (in_spacings && !(info_.box_size > 0))
      throw Error("without a box there is no mean spacing of particles", info_.files.front(),
                  "give the linking length as a length (--epsilon), or the box (--box)");
  }

  void load() {
    io::LoadRequest load;
    for (const auto* types : {&linked_, &attached_})
      for (const int type : *types) {
        io::LoadRequest::Type one{type, {}};
        one.smoothing_length = types == &attached_;
        if (const auto name = velocity_field(info_.types.at(type)); !name.empty())
          one.fields.push_back(name);
        load.types.push_back(std::move(one));
      }
    const ScopedTimer timer(found_.timings, "read");
    found_.particles = io::load_particles(reader_, load, progress_);
    for (auto& columns : found_.particles.types) {
      found_.names.push_back(columns.name);
      make_velocities_peculiar(columns);
    }
  }

  // Stored velocities are GADGET's v / sqrt(a), or what else the file's attributes say.
  void make_velocities_peculiar(ParticleColumns& columns) {
    const TypeInfo& type = info_.types.at(columns.type);
    const auto found = columns.fields.find(velocity_field(type));
    if (found == columns.fields.end()) return;
    const auto& scaling = type.find(found->first)->scaling;
    if (!scaling || !(scaling->to_cgs > 0)) {
      found_.said.push_back(
          fmt::format("The unit of {}'s velocities is not known: taken as peculiar ones in {}.",
                      columns.name, io::velocity_unit(info_.units)));
      return;
    }
    const double factor = scaling->to_cgs / info_.units.velocity_cm_per_s *
                          std::pow(info_.cosmology.scale_factor, scaling->a) *
                          std::pow(info_.cosmology.hubble_param, scaling->h);
    if (factor == 1) return;
    for (auto& component : found->second)
      tbb::parallel_for(std::size_t(0), component.size(),
                        [&](std::size_t i) { component[i] = float(component[i] * factor); });
  }

  bool is_loaded(int type) const {
    return std::any_of(found_.particles.types.begin(), found_.particles.types.end(),
                       [&](const auto& columns) { return columns.type == type; });
  }

  bool is_linked(const ParticleColumns& columns) const {
    return std::find(linked_.begin(), linked_.end(), columns.type) != linked_.end();
  }

  void set_linking_length() {
    std::uint64_t linked = 0;
    for (const auto& columns : found_.particles.types)
      if (is_linked(columns)) linked += columns.count;
    if (linked == 0) throw Error("no particle that could be linked is left", info_.files.front());
    spacing_ = info_.box_size / std::cbrt(double(linked));
    found_.linking_length = request_.epsilon ? *request_.epsilon : request_.spacings * spacing_;
  }

  halos::SubstructureSettings substructure_settings() const {
    halos::SubstructureSettings settings;
    auto& clusters = settings.finder.clusters;
    clusters.linking_length =
        request_.sub_epsilon ? *request_.sub_epsilon : *request_.sub_spacings * spacing_;
    clusters.min_points = request_.sub_min_points.value_or(request_.min_points);
    clusters.algorithm = request_.algorithm;
    settings.finder.min_members = request_.sub_min_members;
    if (request_.sub_halos) settings.halos = *request_.sub_halos;
    return settings;
  }

  void check_substructure() const {
    const auto inner = substructure_settings().finder.clusters;
    if (inner.linking_length > found_.linking_length)
      throw Error("the linking length inside the halos is longer than that of the halos",
                  request_.sub_epsilon ? "--sub-epsilon" : "--sub-linking-length",
                  "give a shorter one");
    if (inner.min_points < request_.min_points)
      throw Error("the minimum number of points inside the halos is below that of the halos",
                  "--sub-min-points", "give the same or more");
  }

  // Of the first linked type: potentials know one for all.
  void set_softening() {
    const int type = linked_.front();
    const auto stored = io::stored_softening(info_, type);
    found_.softening = request_.softening.value_or(stored.value_or(0));
    if (!(found_.softening > 0))
      found_.said.push_back(
          "The softening of gravity is not known: positions of lowest potential are those of point "
          "masses, which close pairs pull away from the centers (--softening gives it).");
    else if (!request_.softening)
      found_.said.push_back(
          fmt::format("The softening of gravity is that of {} in the file: {:.6g}.",
                      info_.types.at(type).name, found_.softening));
    std::vector<std::string> others;
    for (const auto& [number, one] : info_.types)
      if (one.count > 0 && !is_loaded(number)) others.push_back(one.name);
    if (!others.empty())
      found_.said.push_back(
          fmt::format("All masses, spheres' too, are of {} alone: {} were not asked for.",
                      fmt::join(found_.names, ", "), fmt::join(others, ", ")));
  }

  void choose_tools() {
    const bool cuda = request_.device == "cuda" ||
                      (request_.device == "auto" && compute::splotch::cuda_available());
    found_.device = cuda ? "cuda" : "cpu";
    tools_ = cuda ? halos::cuda_finder_tools() : halos::cpu_finder_tools();
    std::uint64_t linked = 0;
    for (const int type : linked_) linked += info_.types.at(type).count;
    tools_.clustering->require_memory(linked);
  }

  void find() {
    halos::FinderInput input;
    input.domain = found_.particles.domain;
    for (const auto& columns : found_.particles.types) {
      halos::FinderInput::Kind kind;
      kind.part = is_linked(columns) ? halos::FinderInput::Kind::Part::Linked
                                     : halos::FinderInput::Kind::Part::Attached;
      kind.count = columns.count;
      for (std::size_t axis = 0; axis < 3; ++axis)
        kind.position[axis] = columns.position[axis].data();
      // Of the file only: GADGET-4 knows no other.
      if (!columns.support_radius.empty()) kind.first_radius = columns.support_radius.data();
      input.kinds.push_back(kind);
    }
    halos::FinderSettings settings;
    settings.clusters = {found_.linking_length, request_.min_points, request_.algorithm};
    settings.min_members = request_.min_members;
    found_.members = halos::find_halos(tools_, input, settings, found_.timings);
    if (request_.wants_substructure())
      found_.substructure = halos::find_substructure(tools_, input, found_.members, settings,
                                                     substructure_settings(), found_.timings);
    found_.peak_device_memory = tools_.clustering->peak_device_memory();
  }

  const io::SnapshotReader& reader_;
  const SnapshotInfo& info_;
  const HaloSearchRequest& request_;
  Progress& progress_;
  std::vector<int> linked_, attached_;
  double spacing_ = 0;  // mean, of the linked particles
  halos::FinderTools tools_;
  HaloSearch found_;
};

}  // namespace

HaloSearch search_halos(const io::SnapshotReader& reader, const HaloSearchRequest& request,
                        Progress& progress) {
  return Search(reader, request, progress).run();
}

compute::halos::Algorithm parse_algorithm(const std::string& option, const std::string& text) {
  using enum halos::Algorithm;
  const std::pair<const char*, halos::Algorithm> known[] = {
      {"auto", Auto}, {"fdbscan", FdbScan}, {"densebox", DenseBox}, {"grid", Grid}};
  for (const auto& [word, algorithm] : known)
    if (text == word) return algorithm;
  throw Error(fmt::format("'{}' is no algorithm", text), option,
              "use auto, fdbscan, densebox or grid");
}

std::string velocity_field(const TypeInfo& type) {
  const FieldInfo* field = type.find(Role::Velocity);
  return field && field->components == 3 ? field->name : std::string();
}

}  // namespace haloscope::app
