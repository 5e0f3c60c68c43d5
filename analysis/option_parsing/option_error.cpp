#include "analysis/option_parsing/option_error.h"

#include <algorithm>

namespace haloscope::analysis {

namespace {

bool is_name(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos;
}

}  // namespace

std::string flag_of(const std::string& name) {
  std::string flag = "--" + name;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string spelled(const std::string& sentence,
                    const std::function<std::string(const std::string&)>& spell) {
  std::string text;
  std::size_t at = 0;
  while (true) {
    const auto begin = sentence.find('`', at);
    const auto end = begin == std::string::npos ? begin : sentence.find('`', begin + 1);
    if (end == std::string::npos) return text + sentence.substr(at);
    const std::string name = sentence.substr(begin + 1, end - begin - 1);
    const bool option = is_name(name);  // else a file's name has backquotes
    text += sentence.substr(at, begin - at) + (option ? spell(name) : "`" + name);
    at = option ? end + 1 : end;
  }
}

std::string with_flags(const std::string& sentence) {
  return spelled(sentence, flag_of);
}

std::string with_words(const std::string& sentence) {
  return spelled(sentence, [](const std::string& name) { return name; });
}

}  // namespace haloscope::analysis
