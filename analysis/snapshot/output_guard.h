#pragma once

#include "analysis/snapshot/output_format.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// True where both names lead to one file: the same device and inode (links, hard links, other
// spellings), or, of files that do not exist yet, the same place.
bool same_file(const std::string& a, const std::string& b);

// Throws Error where an output would replace a file that the run reads, or another of its outputs.
// Commands call it before they draw: a snapshot that was overwritten is gone.
void refuse_overwriting(const std::vector<std::string>& outputs,
                        const std::vector<std::string>& inputs);

// Whether files of others may be replaced, and how the user would say so.
struct Overwriting {
  bool allowed = false;
  std::string how = "--overwrite";
};
// As a command of a session says it.
Overwriting overwriting_by_word(bool said);

// Throws Error unless an output can be written at `path` and what lies there may be replaced: an
// empty file, or one that begins as the new one will, HDF5 only where haloscope wrote it. Whoever
// mistypes a name does not lose another program's file. Commands call it before long work.
void require_target(const std::string& path, OutputFormat format, const Overwriting& overwriting);

// The same for a halo catalog, whose format its name tells: only halo catalogs of haloscope's are
// replaced.
void require_catalog_target(const std::string& path, const Overwriting& overwriting);

}  // namespace haloscope::analysis
