#include "analysis/catalogs/catalog_comparison.h"

#include "analysis/catalogs/catalog_report.h"
#include "analysis/catalogs/critical_density.h"
#include "analysis/catalogs/member_comparison.h"
#include "analysis/halos/halo_points.h"
#include "core/error.h"
#include "io/text/solar_mass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace haloscope::analysis {

namespace {

// What codes write for today, such as 2e-16, is 0.
double rounded_redshift(double redshift) {
  return std::abs(redshift) < 1e-9 ? 0 : redshift;
}

constexpr double kBinDex = 0.25;
constexpr std::size_t kMostBins = 200;

std::string file_of(const HaloCatalog& catalog) {
  return catalog.files.empty() ? std::string() : catalog.files.front();
}

const CatalogColumn& require(const HaloCatalog& catalog, const HaloTable& table, HaloRole role,
                             const char* what) {
  if (table.count == 0)
    throw Error(fmt::format("table {} has no halos to compare", table.name), file_of(catalog));
  const CatalogColumn* column = table.find(role);
  if (!column)
    throw Error(fmt::format("table {} has no {} to compare", table.name, what), file_of(catalog),
                "choose another table with --table");
  return *column;
}

// Brings values of one column to another's unit; `a` and `h` where the powers differ.
double factor_between(const CatalogColumn& from, const HaloCatalog& owner, const CatalogColumn& to,
                      const HaloCatalog& other) {
  if (!from.scaling || !to.scaling) {
    if (from.unit == to.unit) return 1;
    throw Error(fmt::format("{} is in '{}' and {} in '{}': they cannot be compared", from.name,
                            from.unit, to.name, to.unit),
                file_of(owner), "name the units in the catalog's header");
  }
  const double dh = from.scaling->h - to.scaling->h, da = from.scaling->a - to.scaling->a;
  if (dh != 0 && !owner.hubble_known && !other.hubble_known)
    throw Error(fmt::format("{} is in {} and {} in {}, and neither catalog tells h", from.name,
                            from.unit, to.name, to.unit),
                file_of(owner), "add '# h = 0.7' to the head of a CSV");
  const auto& cosmology = (owner.hubble_known ? owner : other).cosmology;
  const auto& times = (owner.cosmology.redshift ? owner : other).cosmology;
  return from.scaling->to_cgs / to.scaling->to_cgs * std::pow(cosmology.hubble_param, dh) *
         std::pow(times.scale_factor, da);
}

// What of one catalog is compared, in the first one's units.
struct Side {
  std::vector<std::array<double, 3>> position;
  std::vector<double> mass, radius;
};

// The radius of a sphere of 200 times the critical density of today: for tables without radii.
double radius_of_mass(double mass, const CatalogColumn& mass_column,
                      const CatalogColumn& position) {
  if (!mass_column.scaling || !position.scaling) return 0;
  const double msun = mass * mass_column.scaling->to_cgs / io::kSolarMassG;
  const double mpc = std::cbrt(3 * msun / (4 * std::numbers::pi * 200 * kCriticalDensity));
  return mpc * kMpcCm / position.scaling->to_cgs;
}

class Comparer {
 public:
  Comparer(const HaloCatalog& first, const HaloTable& first_table, const HaloCatalog& second,
           const HaloTable& second_table, const ComparisonOptions& options, Progress& progress,
           const MembersOfBoth* members)
      : first_(first),
        second_(second),
        first_table_(first_table),
        second_table_(second_table),
        options_(options),
        progress_(progress),
        members_(members),
        position_unit_(require(first, first_table, HaloRole::Position, "positions")),
        mass_unit_(require(first, first_table, HaloRole::Mass, "masses")) {}

  CatalogComparison run() {
    result_.options = options_;
    result_.length_unit = position_unit_.unit;
    result_.mass_unit = mass_unit_.unit;
    result_.first_mass = mass_unit_.name;
    result_.second_mass = require(second_, second_table_, HaloRole::Mass, "masses").name;
    result_.first_count = first_table_.count;
    result_.second_count = second_table_.count;
    const Side a = side(first_, first_table_, second_);
    const Side b = side(second_, second_table_, first_);
    find_box();
    find_volumes();
    say_redshifts();
    match(a, b);
    match_by_members(a, b);
    measure();
    count_members();
    count_masses(a, b);
    return std::move(result_);
  }

 private:
  Side side(const HaloCatalog& catalog, const HaloTable& table, const HaloCatalog& other) {
    const CatalogColumn& position = require(catalog, table, HaloRole::Position, "positions");
    const CatalogColumn& mass = require(catalog, table, HaloRole::Mass, "masses");
    const CatalogColumn* radius = table.find(HaloRole::Radius);
    const double length = factor_between(position, catalog, position_unit_, other);
    const double weight = factor_between(mass, catalog, mass_unit_, other);
    const bool usable = radius && (radius->scaling || radius->unit == position_unit_.unit);
    const double size = usable ? factor_between(*radius, catalog, position_unit_, other) : 0;
    Side side;
    std::uint64_t estimated = 0, without = 0;
    const VectorView xyz(table, HaloRole::Position);
    for (std::uint64_t row = 0; row < table.count; ++row) {
      auto p = xyz.at(row);
      for (double& x : p) x *= length;
      side.position.push_back(p);
      side.mass.push_back(mass.value(row) * weight);
      double r = size > 0 ? radius->value(row) * size : 0;
      // SUBFIND gives no R200 to groups without a bound center.
      if (!(r > 0)) {
        r = radius_of_mass(side.mass.back(), mass_unit_, position_unit_);
        ++(r > 0 ? estimated : without);
      }
      side.radius.push_back(std::isfinite(r) ? r : 0);
    }
    if (estimated > 0 && !options_.distance)
      result_.assumed.push_back(fmt::format(
          "{} of {} halos of {} have no radius: took that of 200 times the critical density.",
          estimated, table.count, catalog.format));
    if (without > 0 && !options_.distance)
      result_.assumed.push_back(fmt::format(
          "{} of {} {} of {} have no radius, and masses without units tell none: they are matched "
          "within the radius of the other one (--distance gives a length).",
          without, table.count, words_of(catalog).several, catalog.format));
    return side;
  }

  // A vector role with its columns looked up once.
  struct VectorView {
    std::array<const CatalogColumn*, 3> columns{};
    std::array<int, 3> component{};
    VectorView(const HaloTable& table, HaloRole role) {
      const auto& names = table.roles.at(role);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        columns[axis] = table.find(names[names.size() == 3 ? axis : 0]);
        component[axis] = names.size() == 3 ? 0 : int(axis);
      }
    }
    std::array<double, 3> at(std::uint64_t row) const {
      return {columns[0]->value(row, component[0]), columns[1]->value(row, component[1]),
              columns[2]->value(row, component[2])};
    }
  };

  void find_box() {
    const double a = first_.periodic ? first_.box_size : 0;
    const double b = second_.periodic ? second_box() : 0;
    box_ = a > 0 ? a : b;
    if (a > 0 && b > 0 && std::abs(a - b) > 1e-3 * a)
      result_.assumed.push_back(fmt::format("The boxes differ ({:g} and {:g} {}): took the first.",
                                            a, b, position_unit_.unit));
    if (box_ == 0)
      result_.assumed.push_back(
          "Neither catalog tells a periodic box: distances do not wrap around.");
  }

  // In the first catalog's unit of positions.
  double second_box() const {
    if (!(second_.box_size > 0)) return 0;
    return second_.box_size *
           factor_between(*second_table_.find(HaloRole::Position), second_, position_unit_, first_);
  }

  void find_volumes() {
    const double a = first_.box_size, b = second_box();
    const auto& scaling = position_unit_.scaling;
    if (!(a > 0) || !(b > 0) || !scaling || (scaling->h != 0 && scaling->h != -1)) return;
    const double mpc =
        scaling->to_cgs / kMpcCm * std::pow(first_.cosmology.scale_factor, scaling->a - 1);
    result_.volumes = {std::pow(a * mpc, 3), std::pow(b * mpc, 3)};
    result_.volume_unit = scaling->h == 0 ? "Mpc^3" : "(Mpc/h)^3";
  }

  void say_redshifts() {
    const auto &a = first_.cosmology.redshift, &b = second_.cosmology.redshift;
    if (a && b && std::abs(*a - *b) > 1e-3 * (1 + *a))
      result_.assumed.push_back(
          fmt::format("The catalogs are of different redshifts: {:.4g} and {:.4g}.",
                      rounded_redshift(*a), rounded_redshift(*b)));
  }

  void match(const Side& a, const Side& b) {
    const HaloPoints in_a(a.position, box_), in_b(b.position, box_);
    const double largest_a = largest(a.radius), largest_b = largest(b.radius);
    std::vector<std::uint64_t> order(a.mass.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint64_t i, std::uint64_t j) { return a.mass[i] > a.mass[j]; });
    constexpr std::size_t kSome = 65536;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i % kSome == 0) progress_.report("matching halos", double(i) / double(order.size()));
      const std::uint64_t row = order[i];
      const double reach =
          options_.distance.value_or(options_.radius_fraction * std::max(a.radius[row], largest_b));
      const auto there = in_b.nearest(a.position[row], reach);
      if (!there) continue;
      const double radius = std::max(a.radius[row], b.radius[there->row]);
      if (there->distance > options_.distance.value_or(options_.radius_fraction * radius)) continue;
      const auto back =
          in_a.nearest(b.position[there->row],
                       options_.distance.value_or(options_.radius_fraction *
                                                  std::max(largest_a, b.radius[there->row])));
      if (!back || (back->row != row && back->distance < there->distance)) continue;
      if (back->row != row) continue;
      result_.pairs.push_back({row, there->row, there->distance,
                               radius > 0 ? there->distance / radius : 0, a.mass[row],
                               b.mass[there->row]});
    }
  }

  // Merging halos have their centers in either part: the same particles, far apart.
  void match_by_members(const Side& a, const Side& b) {
    if (!members_) return;
    progress_.report("matching halos by members", 0);
    for (const auto& [i, j] : pairs_by_members(members_->first, members_->second, result_.pairs)) {
      const double distance = separation(a.position[i], b.position[j]);
      const double radius = std::max(a.radius[i], b.radius[j]);
      result_.pairs.push_back(
          {i, j, distance, radius > 0 ? distance / radius : 0, a.mass[i], b.mass[j], true});
      ++result_.by_members;
    }
    std::stable_sort(
        result_.pairs.begin(), result_.pairs.end(),
        [](const HaloPair& x, const HaloPair& y) { return x.first_mass > y.first_mass; });
    result_.members = compare_members(members_->first, members_->second, result_.pairs);
  }

  double separation(const std::array<double, 3>& p, const std::array<double, 3>& q) const {
    double square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double d = p[axis] - q[axis];
      if (box_ > 0) d -= std::round(d / box_) * box_;
      square += d * d;
    }
    return std::sqrt(square);
  }

  static double largest(const std::vector<double>& values) {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  }

  static double quantile(std::vector<double>& sorted, double q) {
    if (sorted.empty()) return 0;
    const double at = q * double(sorted.size() - 1);
    const auto low = std::size_t(at);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - double(low)) * (sorted[high] - sorted[low]);
  }

  void measure() {
    std::vector<double> logs, offsets;
    for (const auto& pair : result_.pairs) {
      offsets.push_back(pair.distance);
      const double ratio = pair.second_mass / pair.first_mass;
      if (!(ratio > 0) || !std::isfinite(ratio)) continue;
      logs.push_back(std::log10(ratio));
      if (std::abs(logs.back()) > std::log10(2.0)) ++result_.far_masses;
    }
    std::sort(logs.begin(), logs.end());
    std::sort(offsets.begin(), offsets.end());
    if (!logs.empty()) result_.mass_ratio = std::pow(10, quantile(logs, 0.5));
    result_.mass_scatter_dex = (quantile(logs, 0.84) - quantile(logs, 0.16)) / 2;
    result_.offset_median = quantile(offsets, 0.5);
    result_.offset_90 = quantile(offsets, 0.9);
    result_.offset_largest = offsets.empty() ? 0 : offsets.back();
  }

  void count_members() {
    const CatalogColumn* a = first_table_.find(HaloRole::MemberCount);
    const CatalogColumn* b = second_table_.find(HaloRole::MemberCount);
    if (!a || !b) return;
    result_.equal_counts = std::uint64_t(std::count_if(
        result_.pairs.begin(), result_.pairs.end(),
        [&](const HaloPair& pair) { return a->value(pair.first) == b->value(pair.second); }));
  }

  // Edges at multiples of a quarter of a decade, so that tables of different pairs line up.
  void count_masses(const Side& a, const Side& b) {
    std::vector<double> first = a.mass, second = b.mass;
    for (auto* masses : {&first, &second}) {
      std::erase_if(*masses, [](double m) { return !(m > 0) || !std::isfinite(m); });
      std::sort(masses->begin(), masses->end());
    }
    if (first.empty() && second.empty()) return;
    const auto low = [](const std::vector<double>& m) { return m.empty() ? HUGE_VAL : m.front(); };
    const auto high = [](const std::vector<double>& m) { return m.empty() ? 0 : m.back(); };
    const double least = std::floor(std::log10(std::min(low(first), low(second))) / kBinDex);
    const double most = std::floor(std::log10(std::max(high(first), high(second))) / kBinDex);
    const auto above = [](const std::vector<double>& m, double edge) {
      return std::uint64_t(m.end() - std::lower_bound(m.begin(), m.end(), edge));
    };
    for (double k = least; k <= most && result_.mass_function.size() < kMostBins; ++k) {
      const double edge = std::pow(10, k * kBinDex);
      result_.mass_function.push_back({edge, above(first, edge), above(second, edge)});
    }
    result_.first_masses = std::move(first);
    result_.second_masses = std::move(second);
  }

  const HaloCatalog &first_, &second_;
  const HaloTable &first_table_, &second_table_;
  const ComparisonOptions& options_;
  Progress& progress_;
  const MembersOfBoth* members_;
  const CatalogColumn &position_unit_, &mass_unit_;
  double box_ = 0;
  CatalogComparison result_;
};

}  // namespace

CatalogComparison compare_catalogs(const HaloCatalog& first, const HaloTable& first_table,
                                   const HaloCatalog& second, const HaloTable& second_table,
                                   const ComparisonOptions& options, Progress& progress,
                                   const MembersOfBoth* members) {
  return Comparer(first, first_table, second, second_table, options, progress, members).run();
}

}  // namespace haloscope::analysis
