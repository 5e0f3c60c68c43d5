#pragma once

#include "app/viewer/remote/command_lines.h"
#include "app/viewer/remote/descriptor.h"
#include "app/viewer/remote/exchange.h"
#include "app/viewer/remote/local_socket.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace haloscope::app::viewer {

// Reads the lines of the program that drives a session, and writes the answers, on a thread of its
// own: at a socket, one program after another, or at standard input and output.
class Listener {
 public:
  // What `--listen` calls standard input and output. While this lives, all else that is written to
  // standard output goes to standard error.
  static constexpr const char* kStandard = "-";

  // `wake` is called from the thread when lines have come. Throws Error where no socket can be
  // made.
  Listener(const std::string& where, std::function<void()> wake);
  // Answers that are there already are written, if somebody reads them soon.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  Exchange& exchange() { return exchange_; }

 private:
  void wake() const;
  void loop();
  void look(int at_most_ms);
  void admit();
  void begin(int in, int out);
  void read_some();
  void write_some();
  void hang_up();
  void leave();

  Descriptor bell_;      // eventfd
  Descriptor standard_;  // output, as it was
  std::unique_ptr<LocalSocket> socket_;
  Exchange exchange_;

  // Of the program that is there; of the thread alone.
  Descriptor client_;       // at a socket
  int in_ = -1, out_ = -1;  // -1: nobody
  bool reads_ = false;      // more may come
  bool hung_up_ = false;    // nobody reads answers
  CommandLines lines_;

  std::atomic<bool> ends_{false};
  std::thread thread_;  // last: begins when all else is there
};

}  // namespace haloscope::app::viewer
