#pragma once

#include "compute/exec/ranks.h"

#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::compute {

// A connection to another rank. Closed with its owner.
class RankSocket {
 public:
  RankSocket(int rank, int descriptor) : rank_(rank), descriptor_(descriptor) {}
  ~RankSocket();
  RankSocket(RankSocket&& other) noexcept;
  RankSocket& operator=(RankSocket&&) = delete;

  int rank() const { return rank_; }
  int descriptor() const { return descriptor_; }

  // A letter and a text. What cannot be sent is lost: the other end is then, too.
  void send(char letter, const std::string& text) const;
  // Takes what has come. False: the other end is closed.
  bool receive();
  // The next whole message, if there is one.
  bool next(char& letter, std::string& text);

 private:
  int rank_;
  int descriptor_;
  std::string come_;
};

// Connects every rank with the ranks 0 and 1. All ranks call it. Throws Error naming both ends
// where one cannot be reached.
std::vector<RankSocket> connect_ranks(Ranks& ranks, const std::vector<std::string>& hosts);

}  // namespace haloscope::compute
