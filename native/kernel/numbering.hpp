// Tokens as numbers that are equal for equal tokens of one sample.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cutting.hpp"
#include "hashing.hpp"
#include "unicode.hpp"

namespace ragauge {

// Numbers the tokens of one sample from 0, in the order in which they first stand there.
class Numbering {
 public:
  // Append the number of each of the first `split` tokens to `left`, of the others to `right`; `bytes` are those of the
  // scratch, with padding.
  void number(const std::uint8_t* bytes, const Tokens& tokens, std::size_t split,
              std::vector<std::int32_t>& left, std::vector<std::int32_t>& right) {
    bits_ = bits_for(std::min(tokens.size(), kFirstRoom));
    slots_.assign(std::size_t{1} << bits_, 0);
    make_room();
    if (tokens.size() + count_ >= UINT32_MAX - base_) {
      std::fill(wide_.begin(), wide_.end(), 0);
      base_ = 0;
    } else {
      base_ += count_;
    }
    count_ = 0;
    append(bytes, tokens.edges.data(), split, left);
    append(bytes, tokens.edges.data() + 2 * split, tokens.size() - split, right);
  }

  // Append the bytes and the length of each distinct token, by number; `bytes` are those that were numbered.
  void append_distinct(const std::uint8_t* bytes, std::vector<std::uint8_t>& words, std::vector<std::int64_t>& lengths) const {
    for (std::uint32_t number = 1; number <= count_; ++number) {
      const Entry& entry = entries_[number];
      words.insert(words.end(), bytes + entry.start, bytes + entry.start + entry.length);
      lengths.push_back(entry.length);
    }
  }

 private:
  // Almost without branches, because whether a token is new cannot be foreseen: entry 0, which empty slots lead to, is
  // always the present token, and an old token's entry is written again.
  void append(const std::uint8_t* bytes, const std::uint32_t* edges, std::size_t size, std::vector<std::int32_t>& numbers) {
    numbers.resize(numbers.size() + size);
    std::int32_t* const number = numbers.data() + numbers.size() - size;
    std::uint32_t count = count_;  // what is stored may be anything, for all that the compiler knows, but not this
    for (std::size_t place = 0; place < size; ++place) {
      if (edges[2 * place + 1] == 0) {
        place = append_characters(edges, place, size, number, count);
        if (place == size) break;
      }
      const std::uint32_t start = edges[2 * place], end = edges[2 * place + 1], length = end - start;
      while (2 * std::size_t{count} >= slots_.size()) grow(bytes);  // code points were counted without room for them
      if (length == 1 || (bytes[start] >= 0xE0 && length == 3 && is_wide(bytes + start))) {
        const std::uint32_t code = length == 1 ? bytes[start] : low_bits(bytes + start);
        const std::uint32_t now = number_of_wide(wide_table()[code], base_, count);
        entries_[now] = {0, start, length};
        number[place] = static_cast<std::int32_t>(now - 1);
        continue;
      }
      const Entry entry{first_bytes(bytes + start, length), start, length};
      std::uint32_t* const slots = slots_.data();
      Entry* const entries = entries_.data();
      const std::size_t mask = slots_.size() - 1;
      auto slot = static_cast<std::size_t>(hash(bytes + start, entry) >> (64 - bits_));
      entries[0] = entry;
      while (!equal(entries[slots[slot]], bytes, entry)) slot = (slot + 1) & mask;
      const std::uint32_t old = slots[slot];
      count += old == 0;
      const std::uint32_t now = old == 0 ? count : old;
      slots[slot] = now;
      entries[now] = entry;
      number[place] = static_cast<std::int32_t>(now - 1);
    }
    count_ = count;
  }

  // Characters of three bytes, most tokens of Chinese and Japanese, have a table of their own.
  static bool is_wide(const std::uint8_t* at) { return (at[0] >> 4 == 0xE) & (at[1] >> 6 == 2) & (at[2] >> 6 == 2); }

  // Number the code points from place `place` on; return where they end.
  std::size_t append_characters(const std::uint32_t* edges, std::size_t place, std::size_t size, std::int32_t* number,
                                std::uint32_t& count) {
    std::uint32_t* const wide = wide_table();
    const std::uint32_t base = base_;
    std::uint32_t seen = count;  // a copy, so that it needs no memory
    for (; place < size && edges[2 * place + 1] == 0; ++place) {
      number[place] = static_cast<std::int32_t>(number_of_wide(wide[edges[2 * place]], base, seen) - 1);
    }
    count = seen;
    return place;
  }

  std::uint32_t* wide_table() {
    if (wide_.empty()) wide_.resize(std::size_t{1} << 16);
    return wide_.data();
  }

  // `entry`: of the character in the table. `count`: of distinct tokens, with it after.
  static std::uint32_t number_of_wide(std::uint32_t& entry, std::uint32_t base, std::uint32_t& count) {
    const std::uint32_t seen = entry, fresh = seen <= base;
    count += fresh;
    const std::uint32_t now = seen ^ ((seen ^ (base + count)) & (0 - fresh));
    entry = now;
    return now - base;
  }

  // There are as many entries as half of the slots, and two more: one for no token, one for the next.
  void make_room() {
    if (entries_.size() < slots_.size() / 2 + 2) entries_.resize(slots_.size() / 2 + 2);
  }

  void grow(const std::uint8_t* bytes) {
    std::vector<std::uint32_t> before(std::size_t{1} << ++bits_, 0);
    slots_.swap(before);
    make_room();
    for (const std::uint32_t number : before) {
      if (number == 0) continue;
      auto slot = static_cast<std::size_t>(hash(bytes + entries_[number].start, entries_[number]) >> (64 - bits_));
      while (slots_[slot]) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = number;
    }
  }

  struct Entry {
    std::uint64_t head;
    std::uint32_t start;
    std::uint32_t length;
  };

  // Return up to eight bytes as a number. It differs between machines of another order of bytes; only equality counts.
  static std::uint64_t first_bytes(const std::uint8_t* bytes, std::uint32_t length) {
    std::uint64_t value, kept;
    std::memcpy(&value, bytes, 8);
    std::memcpy(&kept, kKept + 8 - std::min<std::uint32_t>(length, 8), 8);
    return value & kept;
  }

  static std::uint64_t hash(const std::uint8_t* bytes, const Entry& entry) {
    std::uint64_t hash = (entry.head ^ entry.length) * multiplier();
    for (std::uint32_t done = 8; done < entry.length; done += 8) {
      hash = ((hash ^ (hash >> 32)) + first_bytes(bytes + done, entry.length - done)) * multiplier();
    }
    return (hash ^ (hash >> 32)) * multiplier();
  }

  static bool equal(const Entry& one, const std::uint8_t* bytes, const Entry& other) {
    if ((one.head ^ other.head) | (one.length ^ other.length)) return false;
    return one.length <= 8 || std::memcmp(bytes + one.start, bytes + other.start, one.length) == 0;
  }

  // Eight bytes from place 8 - length on keep the first `length` bytes of a number, whatever the order of bytes.
  static constexpr std::uint8_t kKept[16] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0};

  // Distinct tokens for which there is room before the table grows: it stays in the processor's cache.
  static constexpr std::size_t kFirstRoom = 1 << 10;

  std::vector<std::uint32_t> slots_;  // the place of an entry; 0 where there is none
  std::vector<Entry> entries_;        // from 1 on, the distinct tokens
  std::uint32_t count_ = 0;           // how many
  std::vector<std::uint32_t> wide_;   // the number of each character of three bytes, and base_; others are of samples before
  std::uint32_t base_ = 0;
  unsigned bits_ = 4;
};

}  // namespace ragauge
