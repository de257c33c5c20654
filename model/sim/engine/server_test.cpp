#include "model/sim/engine/server.h"

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("A request waits for the one before it, and not at all once that is served") {
  Server server;
  CHECK(server.serve({0}, {100}).ps == 100);
  CHECK(server.serve({99}, {100}).ps == 200);   // one too early: waits until 100
  CHECK(server.serve({200}, {100}).ps == 300);  // just free
  CHECK(server.serve({301}, {100}).ps == 401);  // idle for one picosecond
  CHECK(server.busy().ps == 400);
}
