// Code points of UTF-8, and tables that give each a class.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ragauge {

struct Point {
  std::uint32_t code;
  std::int64_t width;  // bytes
};

// Return the lower 16 bits of a code point of three bytes: all that it has.
inline std::uint32_t low_bits(const std::uint8_t* at) {
  return static_cast<std::uint32_t>((at[0] & 0xF) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F));
}

// Read the code point at `at`. Bytes that are not UTF-8 give some code point, and `end` is never passed.
inline Point point_at(const std::uint8_t* at, const std::uint8_t* end) {
  const std::uint32_t lead = *at;
  if (lead < 0x80) return {lead, 1};
  // Most characters beyond ASCII that texts hold many of take three bytes.
  if (lead >> 4 == 0xE && end - at > 2) return {low_bits(at), 3};
  const std::int64_t wanted = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const std::int64_t width = std::min<std::int64_t>(wanted, end - at);
  std::uint32_t code = lead & (0xFFu >> (wanted + 1));
  for (std::int64_t byte = 1; byte < width; ++byte) code = code << 6 | (at[byte] & 0x3Fu);
  return {code, width};
}

// Return whether the bytes are UTF-8: neither surrogates, nor more bytes than a code point needs, nor one past the last.
inline bool is_utf8(const std::uint8_t* at, const std::uint8_t* end) {
  while (at < end) {
    const std::uint8_t lead = *at;
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const std::int64_t width = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (!width || end - at < width) return false;
    for (std::int64_t byte = 1; byte < width; ++byte) {
      if ((at[byte] & 0xC0) != 0x80) return false;
    }
    if ((lead == 0xE0 && at[1] < 0xA0) || (lead == 0xED && at[1] > 0x9F) || (lead == 0xF0 && at[1] < 0x90) ||
        (lead == 0xF4 && at[1] > 0x8F)) {
      return false;
    }
    at += width;
  }
  return true;
}

// The class of each code point; those past the end have the class of the last entry.
struct Table {
  const std::uint8_t* classes;
  std::int64_t size;

  std::uint8_t operator[](std::uint32_t code) const {
    return classes[std::min<std::int64_t>(code, size - 1)];
  }
};

}  // namespace ragauge
