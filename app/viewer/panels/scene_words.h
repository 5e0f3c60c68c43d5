#pragma once

#include "app/viewer/tasks/scene_model.h"

#include <array>
#include <cstdint>
#include <string>

namespace haloscope::app::viewer {

// "kpc/h"; empty where the file does not say.
std::string length_unit(const SceneModel& scene);

// " [K]" behind the name of a type's field, stored or derived; empty where its unit is not known.
std::string unit_behind(const SceneModel& scene, int type, const std::string& field);

// The TYPE of a command for particles whose name a code may have chosen (SWIFT: "neutrinos"), or
// whose usual name would be wrong ("disk" for dark matter of low resolution).
std::string type_word(const SceneModel& scene, int number);

// 1234567 → "1 234 567".
std::string grouped(std::uint64_t number);

// A number for readers, of so many digits and no zeros behind them: 1, 0.25, 12346, 1.5e12, 3e-5.
// Digits before the point are never cut; powers of ten stand where plain digits would be long.
std::string readable(double value, int digits = 4);
// Both ends of a range, both with powers of ten or both without.
std::array<std::string, 2> readable_ends(double low, double high, int digits = 4);
// The same with the zeros, so that numbers in a column have as many digits.
std::string with_digits(double value, int digits = 4);

}  // namespace haloscope::app::viewer
