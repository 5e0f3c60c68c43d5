#include "io/hdf5/hdf5_attributes.h"

#include "io/hdf5/hdf5_handle.h"

namespace haloscope::io {

namespace {

struct OpenAttribute {
  Hdf5Handle attribute, type, space;
  H5T_class_t kind = H5T_NO_CLASS;
  std::size_t size = 0;
};

// Call under the lock.
std::optional<OpenAttribute> open_attribute(hid_t object, const char* name) {
  if (!has_attribute(object, name)) return {};
  OpenAttribute open;
  open.attribute = Hdf5Handle(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  if (!open.attribute) return {};
  open.type = Hdf5Handle(H5Aget_type(open.attribute.id()), H5Tclose);
  open.space = Hdf5Handle(H5Aget_space(open.attribute.id()), H5Sclose);
  const hssize_t points = H5Sget_simple_extent_npoints(open.space.id());
  if (points <= 0) return {};
  open.kind = H5Tget_class(open.type.id());
  open.size = std::size_t(points);
  return open;
}

// A count that somebody wrote as a real number; what is none at all becomes 0, what is beyond all
// counts the largest, which no file can hold.
std::uint64_t count_of(double number) {
  constexpr double kBeyond = 18446744073709551616.0;
  if (!(number > 0)) return 0;
  return number < kBeyond ? std::uint64_t(number) : ~std::uint64_t(0);
}

}  // namespace

bool has_attribute(hid_t object, const char* name) {
  if (object < 0) return false;
  Hdf5Lock lock;
  return H5Aexists(object, name) > 0;
}

std::optional<std::vector<double>> number_attribute(hid_t object, const char* name) {
  Hdf5Lock lock;
  const auto open = open_attribute(object, name);
  if (!open || (open->kind != H5T_INTEGER && open->kind != H5T_FLOAT)) return {};
  std::vector<double> values(open->size);
  if (H5Aread(open->attribute.id(), H5T_NATIVE_DOUBLE, values.data()) < 0) return {};
  return values;
}

std::optional<double> scalar_attribute(hid_t object, const char* name) {
  const auto values = number_attribute(object, name);
  if (!values) return {};
  return values->front();
}

std::optional<std::vector<std::uint64_t>> count_attribute(hid_t object, const char* name) {
  Hdf5Lock lock;
  const auto open = open_attribute(object, name);
  if (!open) return {};
  std::vector<std::uint64_t> counts(open->size);
  if (open->kind == H5T_INTEGER) {
    const std::size_t bytes = H5Tget_size(open->type.id());
    if (H5Tget_sign(open->type.id()) == H5T_SGN_NONE) {
      if (H5Aread(open->attribute.id(), H5T_NATIVE_UINT64, counts.data()) < 0) return {};
    } else {
      std::vector<std::int64_t> values(open->size);
      if (H5Aread(open->attribute.id(), H5T_NATIVE_INT64, values.data()) < 0) return {};
      for (std::size_t i = 0; i < values.size(); ++i)
        counts[i] = values[i] < 0 && bytes == 4 ? std::uint64_t(values[i] + (std::int64_t(1) << 32))
                                                : std::uint64_t(values[i] < 0 ? 0 : values[i]);
    }
    return counts;
  }
  const auto numbers = number_attribute(object, name);
  if (!numbers) return {};
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = count_of((*numbers)[i]);
  return counts;
}

std::optional<std::string> text_attribute(hid_t object, const char* name) {
  Hdf5Lock lock;
  const auto open = open_attribute(object, name);
  if (!open || open->kind != H5T_STRING) return {};
  if (H5Tis_variable_str(open->type.id()) > 0) {
    if (open->size != 1) return {};
    char* text = nullptr;
    if (H5Aread(open->attribute.id(), open->type.id(), &text) < 0 || !text) return {};
    std::string copy = text;
    H5free_memory(text);
    return copy;
  }
  std::string text(H5Tget_size(open->type.id()) * open->size, '\0');
  if (H5Aread(open->attribute.id(), open->type.id(), text.data()) < 0) return {};
  text.resize(text.find('\0') == std::string::npos ? text.size() : text.find('\0'));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::size_t attribute_element_bytes(hid_t object, const char* name) {
  Hdf5Lock lock;
  const auto open = open_attribute(object, name);
  return open ? H5Tget_size(open->type.id()) : 0;
}

}  // namespace haloscope::io
