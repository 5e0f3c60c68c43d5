#include "app/viewer/remote/exchange.h"

#include "tests/catch.h"

#include <string>

// Lines and answers between the thread at the socket and the session.

namespace haloscope::app::viewer {

namespace {

struct Rig {
  int session = 0, thread = 0;  // how often each was woken
  Exchange exchange{[this] { ++session; }, [this] { ++thread; }};

  std::optional<RemoteLine> take() {
    return exchange.take([](const std::string&) { return true; });
  }
  void send(const std::string& text) { exchange.add({{++number, text, {}}}); }
  std::uint64_t number = 0;
};

}  // namespace

TEST_CASE("lines and answers keep their order", "[driving]") {
  Rig rig;
  const auto client = rig.exchange.begin("hello\n");
  CHECK(!rig.exchange.ready());
  rig.send("a");
  rig.send("b");
  CHECK(rig.session == 2);
  const auto first = rig.take(), second = rig.take();
  REQUIRE((first && second));
  CHECK(first->line.text == "a");
  CHECK(second->client == client);
  CHECK(!rig.take());
  CHECK(!rig.exchange.all_answered());
  rig.exchange.answer(client, "1\n");
  rig.exchange.answer(client, "2\n");
  CHECK(rig.thread == 2);
  CHECK(rig.exchange.output(100) == "hello\n1\n2\n");
  rig.exchange.written(7);
  CHECK(rig.exchange.output(100) == "\n2\n");
  CHECK(!rig.exchange.all_answered());
  rig.exchange.written(3);
  CHECK(rig.exchange.all_answered());
}

TEST_CASE("a line that must wait stays the next one", "[driving]") {
  Rig rig;
  rig.exchange.begin("");
  rig.send("find halos");
  rig.send("cancel");
  CHECK(!rig.exchange.take([](const std::string& text) { return text == "cancel"; }));
  CHECK(rig.take()->line.text == "find halos");
}

TEST_CASE("no more lines are read than have room", "[driving]") {
  Rig rig;
  rig.exchange.begin("");
  for (std::size_t k = 0; k < Exchange::kMostLines; ++k) {
    CHECK(rig.exchange.has_room());
    rig.send("fit");
  }
  CHECK(!rig.exchange.has_room());
  CHECK(rig.thread == 0);
  CHECK(rig.take());
  CHECK(rig.exchange.has_room());
  CHECK(rig.thread == 1);  // so that it reads on
  rig.send(std::string(Exchange::kMostBytes, 'x'));
  CHECK(!rig.exchange.has_room());
}

TEST_CASE("no more lines are taken while answers pile up", "[driving]") {
  Rig rig;
  const auto client = rig.exchange.begin("");
  for (int k = 0; k < 3; ++k) rig.send("tell state");
  CHECK(rig.take());
  rig.exchange.answer(client, std::string(3 * Exchange::kPile, 'x'));
  CHECK(!rig.exchange.ready());
  CHECK(!rig.take());
  const int woken = rig.session;
  rig.exchange.written(Exchange::kPile);
  CHECK(!rig.take());
  rig.exchange.written(Exchange::kPile);
  CHECK(rig.session == woken + 1);
  CHECK(rig.take());
  CHECK(rig.exchange.output(10) == "xxxxxxxxxx");
}

TEST_CASE("who is gone hinders nobody", "[driving]") {
  Rig rig;
  const auto gone = rig.exchange.begin("");
  rig.send("fit");
  rig.send("reset");
  CHECK(rig.take());
  rig.exchange.answer(gone, std::string(2 * Exchange::kPile, 'x'));
  CHECK(!rig.exchange.ready());
  rig.exchange.drop_answers();
  CHECK(rig.exchange.ready());
  rig.exchange.end();
  const auto next = rig.exchange.begin("hello\n");
  CHECK(next != gone);
  // Its line is done, and its answer is not that of the next one.
  const auto late = rig.take();
  REQUIRE(late);
  CHECK(late->client == gone);
  rig.exchange.answer(gone, "2\n");
  CHECK(rig.exchange.output(100) == "hello\n");
}

TEST_CASE("it has ended when nobody comes and nothing waits", "[driving]") {
  Rig rig;
  rig.exchange.begin("");
  rig.send("fit");
  rig.exchange.close();
  CHECK(!rig.exchange.ended());
  rig.take();
  CHECK(rig.exchange.ended());
  const int woken = rig.session;
  rig.exchange.stop_waking();
  rig.send("fit");
  CHECK(rig.session == woken);
}

}  // namespace haloscope::app::viewer
