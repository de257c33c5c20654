#include "kernels/jit/sha256.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tilecast {
namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr int kRounds = 64;

using State = std::array<std::uint32_t, 8>;

struct Constants {
  State start;                                // square roots of the first 8 primes
  std::array<std::uint32_t, kRounds> rounds;  // cube roots of the first 64 primes
};

/// First 32 bits after the binary point; long double carries the 3 + 32 bits needed.
std::uint32_t fraction_bits(long double x) {
  return static_cast<std::uint32_t>(std::ldexp(x - std::floor(x), 32));
}

Constants make_constants() {
  Constants constants{};
  std::size_t found = 0;
  for (int n = 2; found < kRounds; ++n) {
    bool prime = true;
    for (int d = 2; d * d <= n; ++d) {
      prime = prime && n % d != 0;
    }
    if (!prime) {
      continue;
    }
    if (found < constants.start.size()) {
      constants.start[found] = fraction_bits(std::sqrt(static_cast<long double>(n)));
    }
    constants.rounds[found++] = fraction_bits(std::cbrt(static_cast<long double>(n)));
  }
  return constants;
}

const Constants& constants() {
  static const Constants kConstants = make_constants();
  return kConstants;
}

std::uint32_t big_endian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

void absorb(State& state, const unsigned char* block) {
  std::array<std::uint32_t, kRounds> w;
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = big_endian(block + 4 * i);
  }
  for (std::size_t i = 16; i < kRounds; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < kRounds; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t t1 = h + s1 + choice + constants().rounds[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + s0 + majority;
  }
  const State mixed{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) {
    state[i] += mixed[i];
  }
}

}  // namespace

std::string sha256(std::string_view text) {
  State state = constants().start;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t done = 0;
  for (; text.size() - done >= kBlockBytes; done += kBlockBytes) {
    absorb(state, bytes + done);
  }
  // The rest, a one bit, zeros, and the length in bits in the last 8 bytes.
  std::string tail(text.substr(done));
  tail.push_back('\x80');
  while (tail.size() % kBlockBytes != kBlockBytes - 8) {
    tail.push_back('\0');
  }
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) {
    tail.push_back(static_cast<char>(bits >> shift & 0xff));
  }
  for (std::size_t i = 0; i < tail.size(); i += kBlockBytes) {
    absorb(state, reinterpret_cast<const unsigned char*>(tail.data()) + i);
  }
  std::string hex;
  for (const std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) {
      hex.push_back("0123456789abcdef"[word >> shift & 0xf]);
    }
  }
  return hex;
}

}  // namespace tilecast
