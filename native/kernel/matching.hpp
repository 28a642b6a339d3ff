// Judged documents among those that were retrieved for the same query, and repeated ones.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace ragauge {

// Texts as Arrow has them: text i is letters[offset(i)] to before letters[offset(i + 1)].
struct TextColumn {
  const std::uint8_t* letters;
  std::int64_t size;
  const void* offsets;
  bool wide;  // offsets of 64 bits, else of 32
  std::int64_t count;

  std::int64_t offset(std::int64_t text) const {
    return wide ? static_cast<const std::int64_t*>(offsets)[text] : static_cast<const std::int32_t*>(offsets)[text];
  }

  // Offsets come from outside: they must rise and stay inside the letters.
  void check() const {
    if (count < 0 || offset(0) < 0 || offset(count) > size) throw std::invalid_argument("offsets must stay within the letters");
    for (std::int64_t text = 0; text < count; ++text) {
      if (offset(text) > offset(text + 1)) throw std::invalid_argument("offsets must not fall");
    }
  }
};

// The documents of one ranking in a hash table. Ids are compared in full, so no result depends on the hashes.
class Matching {
 public:
  // Enter documents `first` to before `last`, in place of those before; return whether one is there twice.
  bool enter(const TextColumn& documents, std::int64_t first, std::int64_t last) {
    documents_ = &documents;
    const auto size = std::bit_ceil(static_cast<std::uint64_t>(2 * (last - first) + 1));
    slots_.assign(size, {0, -1});
    bool repeated = false;
    for (std::int64_t place = first; place < last; ++place) {
      Slot& slot = slot_of(documents, place);
      repeated |= slot.place >= 0;
      if (slot.place < 0) slot.place = place;
    }
    return repeated;
  }

  // Return the first place of a document that was entered, or -1.
  std::int64_t find(const TextColumn& wanted, std::int64_t text) { return slot_of(wanted, text).place; }

 private:
  struct Slot {
    std::uint64_t hash;
    std::int64_t place;
  };

  const TextColumn* documents_ = nullptr;
  std::vector<Slot> slots_;

  // Return the slot of a text: that of the document that equals it, or an empty one, which gets its hash.
  Slot& slot_of(const TextColumn& texts, std::int64_t text) {
    const std::uint8_t* begin = texts.letters + texts.offset(text);
    const std::int64_t length = texts.offset(text + 1) - texts.offset(text);
    const std::uint64_t hash = hash_of(begin, length), mask = slots_.size() - 1;
    for (std::uint64_t at = hash & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.place < 0) slot.hash = hash;
      if (slot.place < 0 || (slot.hash == hash && equals(slot.place, begin, length))) return slot;
    }
  }

  bool equals(std::int64_t place, const std::uint8_t* begin, std::int64_t length) const {
    const std::int64_t own = documents_->offset(place);
    return documents_->offset(place + 1) - own == length &&
           std::memcmp(documents_->letters + own, begin, static_cast<std::size_t>(length)) == 0;
  }

  static std::uint64_t hash_of(const std::uint8_t* text, std::int64_t length) {
    std::uint64_t hash = static_cast<std::uint64_t>(length);
    for (; length > 0; text += 8, length -= 8) {
      std::uint64_t word = 0;
      if (length >= 8) {
        std::memcpy(&word, text, 8);
      } else {
        for (std::int64_t byte = length; byte-- > 0;) word = word << 8 | text[byte];
      }
      hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    }
    hash *= 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
  }
};

}  // namespace ragauge
