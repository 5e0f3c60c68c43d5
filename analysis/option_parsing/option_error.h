#pragma once

#include "core/error.h"

#include <functional>
#include <string>

// Below the front ends an option has one plain name, and sentences write it in backquotes:
// `min_points`. Each front end spells these names as its user types them.
namespace haloscope::analysis {

// A fault of options; its sentence has their names in backquotes.
class OptionError : public Error {
 public:
  using Error::Error;
};

// An option's plain name in a sentence.
inline std::string marked(const std::string& name) {
  return "`" + name + "`";
}

// "sub_halos" → "--sub-halos".
std::string flag_of(const std::string& name);

// With each option as `spell` writes it.
std::string spelled(const std::string& sentence,
                    const std::function<std::string(const std::string&)>& spell);
// As the command line writes options, and catalogs: `sub_halos` → --sub-halos.
std::string with_flags(const std::string& sentence);
// As the commands of the window write them: `sub_halos` → sub_halos.
std::string with_words(const std::string& sentence);

// Runs `work`; options in its faults are flags of the command line.
template <class F>
void with_flags_in_faults(const F& work) {
  try {
    work();
  } catch (const OptionError& error) {
    throw Error(with_flags(error.what()));
  }
}

}  // namespace haloscope::analysis
