#include "model/base/chrome_trace.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace tilecast {
namespace {

constexpr i32 kRolesAtMost = 8;  // maximum number of roles per CTA

double microseconds(Picoseconds time) { return static_cast<double>(time.ps) * si::kMicro; }

/// Index of each CTA on its SM.
using Places = std::map<std::pair<i32, i32>, i32>;

Places places_of(const std::vector<TileSpan>& tiles) {
  std::set<std::pair<i32, i32>> ctas;
  for (const TileSpan& tile : tiles) {
    ctas.insert({tile.sm, tile.cta});
  }
  Places places;
  i32 next = 0, sm = -1;
  for (const auto& cta : ctas) {
    next = cta.first == sm ? next : 0;
    sm = cta.first;
    places[cta] = next++;
  }
  return places;
}

class Events {
 public:
  explicit Events(const std::vector<TileSpan>& tiles) : places_(places_of(tiles)) {
    name_rows(tiles);
    for (const TileSpan& tile : tiles) {
      for_each_part(tile, [&](const char* what, Picoseconds from, Picoseconds to) {
        span(tile, what, from, to);
      });
    }
  }

  std::string json() const {
    return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" + json_ + "\n]}\n";
  }

 private:
  template <class... Values>
  void append(fmt::format_string<Values...> format, Values&&... values) {
    json_ += json_.empty() ? "\n" : ",\n";
    fmt::format_to(std::back_inserter(json_), format, std::forward<Values>(values)...);
  }

  i32 place_of(const TileSpan& tile) const { return places_.at({tile.sm, tile.cta}); }
  i32 row_of(const TileSpan& tile) const {
    return place_of(tile) * kRolesAtMost + (tile.role == TileRole::kLoads ? 0 : tile.warpgroup + 1);
  }

  void name_rows(const std::vector<TileSpan>& tiles) {
    std::map<std::pair<i32, i32>, std::string> rows;  // process names by SM
    for (const TileSpan& tile : tiles) {
      std::string& name = rows[{tile.sm, row_of(tile)}];
      if (name.empty()) {
        name = tile.role == TileRole::kLoads
                   ? fmt::format("CTA {} producer", place_of(tile))
                   : fmt::format("CTA {} warpgroup {}", place_of(tile), tile.warpgroup);
      }
    }
    i32 named = -1;
    for (const auto& [key, name] : rows) {
      const auto [sm, row] = key;
      if (sm != named) {
        named = sm;
        append(
            R"({{"name":"process_name","ph":"M","pid":{0},"args":{{"name":"SM {0}"}}}},
{{"name":"process_sort_index","ph":"M","pid":{0},"args":{{"sort_index":{0}}}}})",
            sm);
      }
      append(
          R"({{"name":"thread_name","ph":"M","pid":{0},"tid":{1},"args":{{"name":"{2}"}}}},
{{"name":"thread_sort_index","ph":"M","pid":{0},"tid":{1},"args":{{"sort_index":{1}}}}})",
          sm, row, name);
    }
  }

  void span(const TileSpan& tile, const char* what, Picoseconds from, Picoseconds to) {
    const std::string args = tile.k_end > 0 ? fmt::format(R"(,"args":{{"k_begin":{},"k_end":{}}})",
                                                          tile.k_begin, tile.k_end)
                                            : "";
    append(
        R"({{"name":"{0} {1},{2}","cat":"{0}","ph":"X","ts":{3:.6f},"dur":{4:.6f},"pid":{5},"tid":{6}{7}}})",
        what, tile.tile_m, tile.tile_n, microseconds(from), microseconds(to - from), tile.sm,
        row_of(tile), args);
  }

  Places places_;
  std::string json_;
};

}  // namespace

std::string chrome_trace(const std::vector<TileSpan>& tiles) { return Events(tiles).json(); }

}  // namespace tilecast
