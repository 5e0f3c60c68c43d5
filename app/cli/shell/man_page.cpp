#include "app/cli/shell/shell_files.h"
#include "core/error.h"
#include "core/version.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>

namespace haloscope::app::cli {

namespace {

// Length in bytes and code point of the character that begins at `at`; texts of ours are UTF-8.
std::pair<std::size_t, std::uint32_t> character_at(const std::string& text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  std::uint32_t code = length == 1 ? first : first & (0x7fu >> length);
  for (std::size_t i = 1; i < length && at + i < text.size(); ++i)
    code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3f);
  return {length, code};
}

// Text as roff prints it: nothing of it is an instruction, and no encoding is asked for.
std::string roff(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto [length, code] = character_at(text, at);
    at += length;
    const bool begins_line = out.empty() || out.back() == '\n';
    if (code >= 0x80)
      out += fmt::format("\\[u{:04X}]", code);
    else if (code == '\\')
      out += "\\e";
    else if (code == '-')
      out += "\\-";
    else if (code == '\'')
      out += "\\(aq";
    else if (code == '.' && begins_line)
      out += "\\&.";
    else
      out += char(code);
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = char(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// "\fB\-o\fR, \fB\-\-output\fR \fIFILE\fR"
std::string heading(const OptionWords& option) {
  std::string text;
  if (option.positional) {
    text = "\\fI" + roff(option.names.front()) + "\\fR";
    return option.repeated ? text + " ..." : text;
  }
  for (const auto& name : option.names)
    text += (text.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!option.value.empty()) text += " \\fI" + roff(option.value) + "\\fR";
  return text;
}

std::string usage(const std::string& program, const CommandWords& command) {
  std::string text = ".B " + roff(program + " " + command.name) + "\n";
  for (const OptionWords& option : command.options)
    if (!option.positional && option.required)
      text += "\\fB" + roff(option.names.front()) + "\\fR \\fI" + roff(option.value) + "\\fR\n";
  text += "[\\fIoptions\\fR]\n";
  for (const OptionWords& option : command.options)
    if (option.positional)
      text += option.required ? heading(option) + "\n" : "[" + heading(option) + "]\n";
  return text;
}

std::string options_of(const CommandWords& command) {
  std::string text, group;
  for (const OptionWords& option : command.options) {
    if (!option.positional && option.group != group && option.group != "Options")
      text += ".PP\n" + roff(option.group) + ":\n";
    if (!option.positional) group = option.group;
    text += ".TP\n" + heading(option) + "\n" + roff(option.help) + "\n";
  }
  return text;
}

std::string paragraphs(const std::string& text) {
  std::string out = ".PP\n";
  for (const char c : text) out += c == '\n' ? std::string("\n.PP\n") : std::string(1, c);
  return out + "\n";
}

}  // namespace

std::string man_page(const CommandWords& program) {
  std::string text = fmt::format(
      ".\\\" Made by haloscope --generate man; changes belong into the program.\n"
      ".TH {} 1 \"\" \"{}\"\n.SH NAME\n{} \\- pictures and measurements of particle simulations\n",
      upper(program.name), version(), program.name);
  text += ".SH SYNOPSIS\n";
  for (const CommandWords& command : program.commands)
    text += usage(program.name, command) + ".br\n";
  text += ".B " + program.name + "\n\\fISNAPSHOT\\fR ...\n";
  text +=
      ".SH DESCRIPTION\n" + roff(program.help) +
      "\nA snapshot is a file, one file of several, or their folder. With the name of a snapshot "
      "in place of a command the window opens.\n" +
      options_of(program);
  text += ".SH COMMANDS\n";
  for (const CommandWords& command : program.commands) {
    text += ".SS " + program.name + " " + command.name + "\n" + roff(command.help) + ".\n" +
            options_of(command);
    if (!command.footer.empty()) text += paragraphs(roff(command.footer));
  }
  text +=
      ".SH ENVIRONMENT\n.TP\n.B HALOSCOPE_ASSETS\nThe folder that holds the program\\(aqs own "
      "files "
      "(palettes), in place of the one that was installed.\n"
      ".SH EXIT STATUS\n.TP\n.B 0\nAll was done.\n.TP\n.B 1\nA check of\n.B haloscope selftest\n"
      "failed.\n.TP\n.B 2\nA file, an option or the machine is not as it must be; one line on "
      "standard error tells what and where.\n.TP\n.B 130\nSomebody stopped it.\n"
      ".SH SEE ALSO\n.B haloscope view \\-\\-list\\-commands\nprints the commands and keys of the "
      "window.\n";
  return text;
}

std::string shell_file(const std::string& kind, const CommandWords& program) {
  if (kind == "man") return man_page(program);
  if (kind == "bash") return bash_completion(program);
  if (kind == "zsh") return zsh_completion(program);
  if (kind == "fish") return fish_completion(program);
  throw Error("'" + kind + "' is not one of man|bash|zsh|fish", "--generate");
}

}  // namespace haloscope::app::cli
