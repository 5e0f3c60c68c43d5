#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace haloscope {

// What a user may know better than a file: an assumption about it falls when the user says it.
enum class Fact { Length, Mass, Velocity, Hubble, Box, Smoothing };

inline const std::set<Fact> kUnitFacts{Fact::Length, Fact::Mass, Fact::Velocity};

// What a reader took for granted: a sentence, and the facts that it stands in for. Most sentences
// (files left out, rows rejected) stand in for none.
struct Assumption {
  Assumption(std::string words, std::set<Fact> facts = {})  // NOLINT: a sentence is one
      : sentence(std::move(words)), about(std::move(facts)) {}
  Assumption(const char* words, std::set<Fact> facts = {})  // NOLINT
      : sentence(words), about(std::move(facts)) {}

  std::string sentence;
  std::set<Fact> about;
};

using Assumptions = std::vector<Assumption>;

inline std::vector<std::string> sentences_of(const Assumptions& assumed) {
  std::vector<std::string> sentences;
  sentences.reserve(assumed.size());
  for (const auto& one : assumed) sentences.push_back(one.sentence);
  return sentences;
}

}  // namespace haloscope
