// Manual page and completions, made from the commands and options.

#include "app/cli/shell/shell_files.h"

#include "core/version.h"
#include "tests/catch.h"
#include "tests/command_line.h"

using namespace haloscope;
using namespace haloscope::app;
using namespace haloscope::app::cli;
using haloscope::test::run_program;

namespace {

app::cli::CommandWords small_program() {
  app::cli::OptionWords file{{"SNAPSHOT"}, "FILE", "What to draw", "Positionals",
                             true,         true,   false};
  app::cli::OptionWords device{{"--device"}, "auto|cpu", "Where it's done", "Options"};
  app::cli::OptionWords output{{"-o", "--output"}, "FILE", ".png or …", "Options"};
  app::cli::OptionWords size{{"--size"}, "WxH", "Pixels [of: it]", "Size"};
  app::cli::CommandWords draw{
      "draw", "A picture", "It is\ndrawn.", {file, device, output, size}, {}};
  return {"tool", "A tool.", "", {{{"--version"}, "", "Which one", "Options"}}, {draw}};
}

}  // namespace

TEST_CASE("a manual page holds all texts, and none of them is an instruction", "[app]") {
  const std::string page = app::cli::man_page(small_program());
  CHECK_THAT(page, Catch::StartsWith(".\\\" Made by") && Catch::Contains(".SS tool draw\n"));
  CHECK_THAT(page, Catch::Contains("\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\n"
                                   "\\&.png or \\[u2026]\n"));
  CHECK_THAT(page, Catch::Contains("Where it\\(aqs done"));
  CHECK_THAT(page, Catch::Contains("It is\n.PP\ndrawn."));
}

TEST_CASE("completions know the words that an option takes, and which one takes a file", "[app]") {
  const std::string bash = app::cli::bash_completion(small_program());
  CHECK_THAT(bash, Catch::Contains("\"draw --device\") words=\"auto cpu\" value=yes"));
  CHECK_THAT(bash, Catch::Contains("draw) words=\"--device -o --output --size\""));
  CHECK_THAT(bash, !Catch::Contains("\"draw --output\""));
  const std::string zsh = app::cli::zsh_completion(small_program());
  CHECK_THAT(zsh, Catch::Contains("'--device[Where it'\\''s done]:auto|cpu:(auto cpu)'"));
  CHECK_THAT(zsh, Catch::Contains("'--size[Pixels \\[of\\: it\\]]:WxH: '"));
  const std::string fish = app::cli::fish_completion(small_program());
  CHECK_THAT(fish, Catch::Contains("-l device -x -a 'auto cpu' -d 'Where it\\'s done'"));
  CHECK_THAT(fish, Catch::Contains("-s o -l output -r -F"));
}

TEST_CASE("each shell's file is printed, with every command", "[app]") {
  for (const char* kind : {"man", "bash", "zsh", "fish"}) {
    const auto outcome = run_program({"--generate", kind});
    INFO(kind);
    CHECK(outcome.code == 0);
    for (const char* command : {"info", "render", "movie", "halos", "catalog", "selftest"})
      CHECK(outcome.says(command));
    CHECK_FALSE(outcome.says("show-results"));
  }
  CHECK(run_program({"--generate", "tcsh"}).is_fault());
  CHECK_FALSE(run_program({"--help"}).says("--generate"));
}

TEST_CASE("the version tells the commit", "[app]") {
  CHECK(run_program({"--version"}).out == version() + " (revision " + revision() + ")\n");
  CHECK_FALSE(revision().empty());
}
