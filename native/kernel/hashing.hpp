// Hash tables of whole numbers. Keys are always compared in full: no result depends on a hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace ragauge {

// An odd multiplier drawn anew in each process, so that no text can be made whose tokens all fall into one slot
// (Dietzfelbinger et al. 1997, "A reliable randomized algorithm for the closest-pair problem", multiply-shift).
inline std::uint64_t multiplier() {
  static const std::uint64_t drawn = [] {
    std::random_device device;
    return ((std::uint64_t{device()} << 32) ^ device()) | 1;
  }();
  return drawn;
}

// Return how many bits number at least twice as many slots as there are keys, and at least 16.
inline unsigned bits_for(std::size_t keys) {
  unsigned bits = 4;
  while ((std::size_t{1} << bits) < 2 * keys) ++bits;
  return bits;
}

}  // namespace ragauge
