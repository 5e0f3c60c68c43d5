#include "analysis/snapshot/output_guard.h"

#include "core/atomic_file.h"
#include "core/error.h"
#include "io/catalogs/write_catalog.h"
#include "io/hdf5/own_mark.h"

#include <filesystem>

namespace haloscope::analysis {

namespace fs = std::filesystem;

bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code failed;
  if (fs::equivalent(a, b, failed)) {
    // Devices and pipes (/dev/null) keep nothing that could be lost.
    return fs::is_regular_file(a, failed) || fs::is_directory(a, failed);
  }
  std::error_code first, second;
  if (fs::exists(a, first) || fs::exists(b, second)) return false;
  const fs::path one = fs::weakly_canonical(fs::absolute(a, first), first);
  const fs::path other = fs::weakly_canonical(fs::absolute(b, second), second);
  return !first && !second && one == other;
}

void refuse_overwriting(const std::vector<std::string>& outputs,
                        const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const auto& input : inputs)
      if (std::error_code failed; fs::exists(input, failed) && same_file(outputs[i], input))
        throw Error("the output would overwrite a file that is read (" + input + ")", outputs[i],
                    "choose another name");
    for (std::size_t j = 0; j < i; ++j)
      if (same_file(outputs[i], outputs[j]))
        throw Error("two outputs have the same name", outputs[i], "choose another name for one");
  }
}

Overwriting overwriting_by_word(bool said) {
  return {said, "the word overwrite at the command's end"};
}

void require_target(const std::string& path, OutputFormat format, const Overwriting& overwriting) {
  require_writable(path);
  std::error_code failed;
  if (overwriting.allowed || !fs::is_regular_file(path, failed) || fs::file_size(path, failed) == 0)
    return;
  const std::string remedy = "choose another name, or replace it with " + overwriting.how;
  if (!begins_as(format, path))
    throw Error("the output would replace a file that is not " + format_in_words(format, path),
                path, remedy);
  // An array has no place for a mark: any may be the user's own.
  if (format == OutputFormat::Npy)
    throw Error("the output would replace an array of NumPy, which does not tell who wrote it",
                path, remedy);
  if (format == OutputFormat::Hdf5 && !io::has_own_mark(path))
    throw Error("the output would replace an HDF5 file that haloscope did not write", path, remedy);
  // Maps are drawn again in a second, searches are not.
  if (format == OutputFormat::Hdf5 && io::is_replaceable_catalog(path))
    throw Error("the output would replace a catalog", path, remedy);
}

void require_catalog_target(const std::string& path, const Overwriting& overwriting) {
  io::require_catalog_output(path);
  if (!overwriting.allowed && !io::is_replaceable_catalog(path))
    throw Error("the output would replace a file that is no halo catalog of haloscope's", path,
                "choose another name, or replace it with " + overwriting.how);
}

}  // namespace haloscope::analysis
