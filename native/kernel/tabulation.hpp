// Sums of random words, one for each byte of a text at its place: what ragauge.core.hashing hashes strings by.
#pragma once

#include <cstdint>

// The same loop is compiled for several processors where the loader can choose between them. A sanitizer must have
// started before any code that it watches, and the choice is made earlier.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && defined(__x86_64__) && defined(__GLIBC__) && \
    !defined(__SANITIZE_ADDRESS__)
#define RAGAUGE_CLONED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define RAGAUGE_CLONED
#endif

namespace ragauge {

// `splitmix64` in ragauge.core.hashing.
inline std::uint64_t splitmix64(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
  value = (value ^ value >> 27) * 0x94D049BB133111EBu;
  return value ^ value >> 31;
}

// Return the sum over all places of the random word of that place and byte, modulo 2^64.
RAGAUGE_CLONED inline std::uint64_t sum_of_words(const std::uint8_t* text, std::int64_t length) {
  std::uint64_t sum = 0;
  for (std::int64_t place = 0; place < length; ++place) {
    sum += splitmix64(static_cast<std::uint64_t>(place) << 8 | text[place]);
  }
  return sum;
}

}  // namespace ragauge
