#pragma once

#include "analysis/option_parsing/option_about.h"
#include "analysis/option_parsing/option_text.h"
#include "app/cli/add_option.h"

#include <CLI/CLI.hpp>

#include <string>

namespace haloscope::app::cli {

// A visitor that adds options to a command of the command line, which keeps a reference to them.
template <class O>
class OptionFlags {
 public:
  OptionFlags(CLI::App& command, O& options) : command_(command), options_(options) {}

  template <class T>
  void types(const char* name, T&, const analysis::OptionAbout& about) {
    add(name, about);
  }
  template <class T>
  void positive(const char* name, T&, const analysis::OptionAbout& about) {
    add(name, about);
  }
  template <class T>
  void length(const char* name, T&, const analysis::OptionAbout& about) {
    add(name, about);
  }
  template <class T>
  void count(const char* name, T&, int, const analysis::OptionAbout& about) {
    add(name, about);
  }
  void flag(const char* name, bool&, const analysis::OptionAbout& about) {
    const std::string option = name;
    command_.add_flag_callback(
        analysis::flag_of(option),
        [&options = options_, option] { analysis::read_option(options, option, "on"); },
        about.help);
  }
  void text(const char* name, std::string&, const analysis::OptionAbout& about) {
    add(name, about);
  }
  template <class T>
  void choice(const char* name, T&, const analysis::OptionWords<T>&,
              const analysis::OptionAbout& about) {
    add(name, about);
  }

 private:
  void add(const char* name, const analysis::OptionAbout& about) {
    const std::string option = name;
    CLI::Option* flag = add_text(
        command_, analysis::flag_of(option), about.value, about.help,
        [&options = options_, option](const std::string& text) {
          analysis::with_flags_in_faults([&] { analysis::read_option(options, option, text); });
        });
    if (*about.instead_of) flag->excludes(command_.get_option(analysis::flag_of(about.instead_of)));
  }

  CLI::App& command_;
  O& options_;
};

template <class O>
void add_option_flags(CLI::App& command, O& options) {
  OptionFlags<O> flags(command, options);
  visit(flags, options);
}

}  // namespace haloscope::app::cli
