#include "app/viewer/remote/answer.h"

#include "analysis/snapshot/json_text.h"
#include "core/version.h"

#include <nlohmann/json.hpp>

#include <cstddef>

namespace haloscope::app::viewer {

namespace {

constexpr std::size_t kLongestFault = 1000;  // bytes

nlohmann::json in_short(const std::string& sentence) {
  if (sentence.size() <= kLongestFault) return sentence;
  std::size_t end = kLongestFault;
  // Not within a character of UTF-8.
  while (end > kLongestFault - 4 && (sentence[end] & 0xC0) == 0x80) --end;
  return sentence.substr(0, end) + " …";
}

std::string one_line(const nlohmann::json& json) {
  return analysis::json_text(json, -1) + "\n";
}

}  // namespace

std::string greeting(const std::string& fault) {
  const std::string name = "haloscope";
  const std::string text = version();
  const std::size_t after = text.starts_with(name + " ") ? name.size() + 1 : 0;
  nlohmann::json json{{"program", name}, {"version", text.substr(after)}, {"protocol", kProtocol}};
  if (!fault.empty()) json["fault"] = fault;
  return one_line(json);
}

std::string as_line(const Answer& answer) {
  nlohmann::json json{{"command", answer.command}, {"done", answer.fault.empty()}};
  if (!answer.fault.empty()) json["fault"] = in_short(answer.fault);
  if (!answer.values.empty()) json["values"] = nlohmann::json::parse(answer.values);
  if (!answer.files.empty()) json["files"] = answer.files;
  if (!answer.said.empty()) json["said"] = answer.said;
  return one_line(json);
}

std::string as_base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = bytes.size() - at < 3 ? bytes.size() - at : 3;
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[at + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace haloscope::app::viewer
