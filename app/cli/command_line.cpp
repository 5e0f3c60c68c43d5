#include "app/cli/command_line.h"

#include "analysis/cancelled_midway.h"
#include "analysis/run_context.h"
#include "app/cli/catalog.h"
#include "app/cli/clusters.h"
#include "app/cli/convert.h"
#include "app/cli/find.h"
#include "app/cli/grid.h"
#include "app/cli/halos.h"
#include "app/cli/info.h"
#include "app/cli/interrupt.h"
#include "app/cli/launched_job.h"
#include "app/cli/movie.h"
#include "app/cli/phase.h"
#include "app/cli/profile.h"
#include "app/cli/progress_bar.h"
#include "app/cli/render.h"
#include "app/cli/selftest.h"
#include "app/cli/shell/command_tree.h"
#include "app/cli/shell/shell_files.h"
#include "app/cli/splotch.h"
#include "app/cli/topology.h"
#include "app/cli/usage_fault.h"
#include "app/cli/view.h"
#include "compute/exec/rank_fault.h"
#include "core/error.h"
#include "core/log.h"
#include "core/outputs.h"
#include "core/version.h"
#include "core/visible_text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>

namespace haloscope::app::cli {

namespace {

constexpr int kCheckFailed = 1;
constexpr int kUserFault = 2;
constexpr int kInterrupted = 130;

// CLI11 counts bytes, so that each "…" in a value's name would move what it means to the left.
class HelpByCharacters : public CLI::Formatter {
 public:
  // Of the program itself: what opens the window is no command to CLI11.
  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (app->get_parent()) return Formatter::make_usage(app, name);
    return "Usage: haloscope SNAPSHOT...\n       haloscope COMMAND [OPTIONS]\n\n"
           "`haloscope SNAPSHOT...` opens the window, as `haloscope view SNAPSHOT...` does.\n";
  }

 private:
  std::string make_option(const CLI::Option* option, bool positional) const override {
    std::string text = "  " + make_option_name(option, positional) + make_option_opts(option);
    const auto characters = std::size_t(std::count_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) >> 6) != 2;
    }));
    const std::size_t width = get_column_width();
    text +=
        characters < width ? std::string(width - characters, ' ') : "\n" + std::string(width, ' ');
    return text + make_option_desc(option) + "\n";
  }
};

// What the shell would need to run it again.
std::string as_typed(const std::vector<std::string>& arguments) {
  std::string text = "haloscope";
  for (const auto& argument : arguments) {
    const bool plain = !argument.empty() &&
                       argument.find_first_of(" \t\n'\"$&|;<>()*?[]\\`!#~") == std::string::npos;
    if (plain) {
      text += " " + argument;
      continue;
    }
    text += " '";
    for (char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += "'";
  }
  return text;
}

bool names_command(const CLI::App& app, const std::string& word) {
  return !app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == word; }).empty();
}

// `haloscope SNAPSHOT` opens it in the window, and `haloscope` alone the start page where there is
// a display.
std::vector<std::string> with_command(const std::vector<std::string>& arguments,
                                      const CLI::App& app) {
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value && *value;
  };
  std::vector<std::string> words = arguments;
  if (words.empty()) {
    if (has_window() && (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))) words = {"view"};
    return words;
  }
  std::error_code unknown;
  const std::string& word = words.front();
  const bool looks_like_a_file = word.find_first_of("./") != std::string::npos;
  if (word.starts_with("-") || names_command(app, word) ||
      !(looks_like_a_file || std::filesystem::exists(word, unknown)))
    return words;
  words.insert(words.begin(), "view");
  return words;
}

int fault(std::string sentence) {
  // One fault is one line, whatever a library says.
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  std::cerr << "haloscope: error: " << visible_text(sentence) << "\n";
  return kUserFault;
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  ProgressBar bar;
  bool speaks = true;
  Progress progress([&](const std::string& phase, double part) {
    if (speaks) bar.show(phase, part);
  });
  InterruptCancels interrupt(progress);
  LaunchedJob job(progress);
  speaks = job.speaks();
  auto former_sink = log::set_sink([&](log::Level level, const std::string& message) {
    if (!speaks) return;
    bar.clear();
    std::cerr << (level == log::Level::Warning ? "haloscope: warning: " : "")
              << visible_text(message) << "\n";
  });
  analysis::RunContext context{progress,
                               [&](const std::string& line) {
                                 if (!speaks) return;
                                 bar.clear();
                                 std::cout << visible_text(line) << "\n";
                               },
                               as_typed(arguments)};

  CLI::App app("Pictures and measurements of particle simulations.", "haloscope");
  // Before the commands, which take it over.
  app.formatter(std::make_shared<HelpByCharacters>());
  app.set_version_flag("--version", version() + " (revision " + revision() + ")");
  std::string shell_file;
  // Hidden: for the build, which installs what comes out.
  app.add_option("--generate", shell_file, "man, bash, zsh or fish")->group("");
  app.require_subcommand(0, 1);
  std::function<void()> run;
  add_info_command(app, context, run);
  add_render_command(app, context, run);
  add_movie_command(app, context, run);
  add_splotch_command(app, context, run);
  add_convert_command(app, context, run);
  add_grid_command(app, context, run);
  add_halos_command(app, context, run);
  add_clusters_command(app, context, run);
  add_topology_command(app, context, run);
  add_find_commands(app, context, run);
  add_profile_command(app, context, run);
  add_phase_command(app, context, run);
  add_catalog_command(app, context, run);
  add_selftest_command(app, context, run);
  add_view_command(app, context, run);

  int code = 0;
  const auto tell_fault = [&](const std::string& sentence, int fault_code) {
    bar.clear();
    code = fault_code;
    if (!job.alone())
      code = job.fail(compute::RankEnd::Kind::Fault, sentence, fault_code);
    else if (job.speaks())
      fault(sentence);
  };
  // `what` was done all the same, after a semicolon; empty: nothing.
  const auto tell_interrupted = [&](const std::string& what) {
    bar.clear();
    code = kInterrupted;
    if (!job.alone())
      code = job.fail(compute::RankEnd::Kind::Interrupted, what.empty() ? what : "; " + what, code);
    else
      std::cerr << "haloscope: interrupted; "
                << visible_text(what.empty() ? outputs::written_in_words() : what) << "\n";
  };
  const auto finish_job = [&] {
    if (job.alone()) return;
    try {
      job.finish();
    } catch (const Cancelled&) {
      tell_interrupted({});
    } catch (const std::exception& error) {
      tell_fault(error.what(), kUserFault);
    }
  };
  try {
    job.join(arguments);
    context.ranks = job.ranks();
    if (!speaks) std::cout.setstate(std::ios::badbit);
    const auto words = with_command(arguments, app);
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(reversed);
    require_values(app);
    if (!job.alone() && run) job.begin(app.get_subcommands().front()->get_name());
    if (!shell_file.empty())
      std::cout << cli::shell_file(shell_file, command_tree(app));
    else if (run)
      run();
    else
      std::cout << app.help();
    finish_job();
  } catch (const CLI::Success& help_or_version) {
    app.exit(help_or_version, std::cout, std::cerr);
    finish_job();
  } catch (const CLI::ParseError& error) {
    tell_fault(usage_fault(app, error), kUserFault);
  } catch (const analysis::CancelledMidway& stopped) {
    tell_interrupted(stopped.what());
  } catch (const Cancelled&) {
    tell_interrupted({});
  } catch (const compute::RankFault& other) {
    tell_fault(other.what(), kUserFault);
  } catch (const CheckFailed& failed) {
    tell_fault(failed.what(), kCheckFailed);
  } catch (const Error& error) {
    tell_fault(error.what(), kUserFault);
  } catch (const std::bad_alloc&) {
    tell_fault("out of memory; choose fewer particles, fields, cells or pixels", kUserFault);
  } catch (const std::exception& error) {
    // What a library or the system threw (threads, file system, GPU): no sentence of ours.
    tell_fault(std::string("something failed that haloscope did not expect: ") + error.what(),
               kUserFault);
  }
  log::flush();
  log::set_sink(std::move(former_sink));
  std::cout.flush();
  if (code == 0 && speaks && !std::cout) return fault("standard output cannot be written");
  return code;
}

}  // namespace haloscope::app::cli
