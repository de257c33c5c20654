#include "model/sim/chrome_trace.h"

#include <fmt/format.h>

#include <iterator>

namespace tilecast {
namespace {

double microseconds(SimTime time) { return static_cast<double>(time.ps) * 1e-6; }

void append_span(std::string& json, const TileSpan& tile, const char* what, SimTime from,
                 SimTime to) {
  constexpr i32 kWarpgroupsAtMost = 8;  // of a CTA
  fmt::format_to(std::back_inserter(json),
                 "{}\n{{\"name\":\"{} {},{}\",\"cat\":\"{}\",\"ph\":\"X\",\"ts\":{:.6f},"
                 "\"dur\":{:.6f},\"pid\":{},\"tid\":{}}}",
                 json.back() == '[' ? "" : ",", what, tile.tile_m, tile.tile_n, what,
                 microseconds(from), microseconds(to - from), tile.sm,
                 tile.cta * kWarpgroupsAtMost + tile.warpgroup);
}

}  // namespace

std::string chrome_trace(const std::vector<TileSpan>& tiles) {
  std::string json = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  for (const TileSpan& tile : tiles) {
    append_span(json, tile, "load", tile.begin, tile.first_operands);
    append_span(json, tile, "multiply", tile.first_operands, tile.multiplied);
    append_span(json, tile, "store", tile.multiplied, tile.stored);
  }
  return json + "\n]}\n";
}

}  // namespace tilecast
