#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// Attributes of a group or dataset. All return nothing where `object` is invalid, or the attribute
// is absent or of another kind. Scalars and arrays are the same here: codes disagree on whether a
// single number is a scalar or an array of length one.
std::optional<std::vector<double>> number_attribute(hid_t object, const char* name);

// Element 0 of number_attribute.
std::optional<double> scalar_attribute(hid_t object, const char* name);

// Whole numbers without a detour over double. A negative 32-bit count is one that overflowed, and
// is read as unsigned.
std::optional<std::vector<std::uint64_t>> count_attribute(hid_t object, const char* name);

std::optional<std::string> text_attribute(hid_t object, const char* name);

bool has_attribute(hid_t object, const char* name);

// Size of one element in the file; 0 where the attribute is absent.
std::size_t attribute_element_bytes(hid_t object, const char* name);

}  // namespace haloscope::io
