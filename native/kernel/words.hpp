// Where tokens stand in a text by the rules of ragauge.tokenizers.auto: words, or characters, by script.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "cutting.hpp"
#include "unicode.hpp"

namespace ragauge {

// `CharacterClass` in ragauge.tokenizers.auto.
enum class Kind : std::uint8_t {
  kSymbol, kGap, kWord, kDigit, kCharacter, kExtend, kJoiner, kLinker, kPictograph, kRegional, kPoint
};

class AutoRules {
 public:
  explicit AutoRules(Table classes) : classes_(classes) {
    for (std::uint32_t code = 0; code < 0x80; ++code) {
      const Kind kind = kind_of(code);
      ascii_[code] = is_plain(kind) ? Ascii::kPlain : kind == Kind::kGap ? Ascii::kGap : Ascii::kOther;
      in_blocks_ &= kind == Block::kind_of(static_cast<std::uint8_t>(code));
    }
  }

  // Append the tokens of a text; its bytes are kept in `scratch`.
  void cut(const std::uint8_t* text, std::int64_t length, Scratch& scratch, Marks&, Tokens& tokens) const {
    cut(text, static_cast<std::uint32_t>(length), scratch.keep(text, length), tokens);
  }

  // Give each token of a text to `sink`: where it begins and ends, from `offset` on. Its methods: `add_plain`, a token of
  // ASCII; `add_characters`, so many code points of three bytes, one behind the other; `add`, any.
  template <class Sink>
  void cut(const std::uint8_t* text, std::uint32_t size, std::uint32_t offset, Sink& sink) const {
    for (std::uint32_t place = 0; place < size;) {
      if (in_blocks_ && text[place] < 0x80) place = cut_ascii(text, place, size, offset, sink);
      if (place < size) place = cut_any(text, place, size, offset, sink);
    }
  }

 private:
  // What stands before a code point.
  struct Before {
    Kind kind = Kind::kGap;       // of the code point
    Kind base = Kind::kGap;       // of that which its marks belong to
    bool base_is_word = false;
    bool is_word = false;         // a letter, a digit, a point in a number, or a mark of one
    std::uint32_t regionals = 0;  // in a row
  };

  // The kinds of 64 bytes, as bits.
  class Block {
   public:
    // The kind of an ASCII character, with arithmetic instead of a table, so that the compiler computes many at a time.
    static Kind kind_of(std::uint8_t byte) {
      const std::uint8_t flags = flags_of(byte);
      if (flags & kGap) return Kind::kGap;
      if (flags & kDigit) return Kind::kDigit;
      if (flags & kPlain) return Kind::kWord;
      return flags & kPoint ? Kind::kPoint : Kind::kSymbol;
    }

    // Read the bytes; behind the last there are gaps.
    Block(const std::uint8_t* bytes, std::uint32_t size) {
      alignas(16) std::array<std::uint8_t, kSize> copy, flags;
      if (size < kSize) {
        copy.fill(0);
        std::memcpy(copy.data(), bytes, size);
        bytes = copy.data();
      }
      for (std::size_t byte = 0; byte < kSize; ++byte) flags[byte] = flags_of(bytes[byte]);
      std::array<std::uint64_t, 5> bits{};
      for (unsigned byte = 0; byte < kSize; byte += 8) {
        for (unsigned flag = 0; flag < bits.size(); ++flag) bits[flag] |= Marks::eight_flags(flags.data() + byte, flag) << byte;
      }
      digits = bits[1];
      gaps = bits[2];
      plain = bits[0] | (bits[3] & digits << 1 & digits >> 1);
      wide = bits[4];
    }

    static constexpr std::uint32_t kSize = 64;
    std::uint64_t digits, gaps, plain, wide;  // plain: letters, digits, and points between two digits

   private:
    static constexpr std::uint8_t kPlain = 1, kDigit = 2, kGap = 4, kPoint = 8, kWide = 16;

    static std::uint8_t flags_of(std::uint8_t byte) {
      const auto below = [](int value, int end) { return static_cast<std::uint8_t>(static_cast<std::uint8_t>(value) < end); };
      const std::uint8_t digit = below(byte - '0', 10), letter = below((byte | 0x20) - 'a', 26);
      const auto gap = static_cast<std::uint8_t>(below(byte, 0x21) | (byte == 0x7F));
      const auto point = static_cast<std::uint8_t>((byte == '.') | (byte == ','));
      return static_cast<std::uint8_t>((digit | letter) | digit << 1 | gap << 2 | point << 3 | byte >> 7 << 4);
    }
  };

  // Cut words of ASCII between gaps; return where the first begins that has another byte, or is very long.
  template <class Sink>
  std::uint32_t cut_ascii(const std::uint8_t* text, std::uint32_t place, std::uint32_t size, std::uint32_t offset,
                          Sink& sink) const {
    while (place < size) {
      const Block block(text + place, std::min(size - place, Block::kSize));
      auto used = static_cast<std::uint32_t>(std::min<int>(std::countr_zero(block.wide), Block::kSize));
      std::uint64_t in = used < Block::kSize ? (std::uint64_t{1} << used) - 1 : ~std::uint64_t{0};
      if (used < size - place) {
        if (!(block.gaps & in)) return place;
        used = static_cast<std::uint32_t>(std::bit_width(block.gaps & in));
        in &= ~std::uint64_t{0} >> (Block::kSize - used);
      }
      const std::uint64_t plain = block.plain & in, alone = ~(block.plain | block.gaps) & in;
      std::uint64_t first = (plain & ~(plain << 1)) | alone, last = (plain & ~(plain >> 1)) | alone;
      for (; first; first &= first - 1, last &= last - 1) {
        sink.add_plain(offset + place + static_cast<std::uint32_t>(std::countr_zero(first)),
                       offset + place + static_cast<std::uint32_t>(std::countr_zero(last)) + 1);
      }
      place += used;
    }
    return std::min(place, size);
  }

  // Cut words of all characters; return where those begin, behind a gap, that are of ASCII.
  template <class Sink>
  std::uint32_t cut_any(const std::uint8_t* text, std::uint32_t place, std::uint32_t size, std::uint32_t offset,
                        Sink& sink) const {
    const std::uint32_t begin = place;
    Before before;
    std::uint32_t start = size;  // of the present token; `size` where there is none
    bool wide = false;           // it has a byte beyond ASCII
    const auto close = [&](std::uint32_t at) {
      if (start == size) return;
      if (wide) {
        sink.add(offset + start, offset + at);
      } else {
        sink.add_plain(offset + start, offset + at);
      }
      start = size;
      wide = false;
    };
    while (place < size) {
      const std::uint8_t byte = text[place];
      if (ascii_[byte] == Ascii::kPlain) {
        if (!before.is_word) close(place);
        if (start == size) start = place;
        do ++place;
        while (place < size && ascii_[text[place]] == Ascii::kPlain);
        const Kind last = kind_of(text[place - 1]);
        before = {last, last, true, true, 0};
        continue;
      }
      if (ascii_[byte] == Ascii::kGap) {
        close(place++);
        before = {};
        if (in_blocks_ && is_ascii(text, place, size)) return place;
        continue;
      }
      Point point = point_at(text + place, text + size);
      Kind kind = kind_of(point.code);
      if (stands_alone(kind, before.kind)) {
        close(place);
        // Of a run of such characters only the last can have a mark behind it.
        const std::uint32_t last = point.width == 3 ? last_alone(text, place, size) : place;
        if (last > place) {
          sink.add_characters(offset + place, (last - place) / 3);
          place = last;
          point = point_at(text + place, text + size);
          kind = kind_of(point.code);
        }
        start = place;
        wide = point.code >= 0x80;
        place += static_cast<std::uint32_t>(point.width);
        before = {kind, kind, false, false, 0};
        continue;
      }
      const auto next = place + static_cast<std::uint32_t>(point.width);
      const bool goes = step(before, kind, place == begin, is_digit_at(text, next, size));
      if (kind == Kind::kGap || !goes) close(place);
      if (kind != Kind::kGap) {
        if (start == size) start = place;
        wide |= point.code >= 0x80;
      }
      place = next;
    }
    close(size);
    return size;
  }

  // Return whether so many bytes are of ASCII that it pays to read them in blocks.
  static bool is_ascii(const std::uint8_t* text, std::uint32_t place, std::uint32_t size) {
    if (size - place < Block::kSize / 2) return false;
    std::uint64_t all = 0;
    for (std::uint32_t done = 0; done < Block::kSize / 2; done += 8) {
      std::uint64_t bytes;
      std::memcpy(&bytes, text + place + done, 8);
      all |= bytes;
    }
    return !(all & 0x8080808080808080u);
  }

  // Return where the last of a run of characters of three bytes begins, each of which stands alone behind the one before.
  std::uint32_t last_alone(const std::uint8_t* text, std::uint32_t place, std::uint32_t size) const {
    constexpr unsigned kinds = 1u << static_cast<unsigned>(Kind::kSymbol) | 1u << static_cast<unsigned>(Kind::kCharacter) |
                               1u << static_cast<unsigned>(Kind::kPoint);
    const Table classes = classes_;
    for (; size - place >= 6 && text[place + 3] >> 4 == 0xE; place += 3) {
      if (!(kinds >> classes[low_bits(text + place + 3)] & 1)) break;
    }
    return place;
  }

  // Return whether a character begins a token, and a letter behind it another.
  static bool stands_alone(Kind kind, Kind before) {
    return kind == Kind::kSymbol || (kind == Kind::kCharacter && before != Kind::kLinker) ||
           (kind == Kind::kPoint && before != Kind::kDigit);
  }

  static bool is_plain(Kind kind) { return kind == Kind::kWord || kind == Kind::kDigit; }
  static bool is_extend(Kind kind) { return kind >= Kind::kExtend && kind <= Kind::kLinker; }

  Kind kind_of(std::uint32_t code) const { return static_cast<Kind>(classes_[code]); }

  bool is_digit_at(const std::uint8_t* bytes, std::uint32_t place, std::uint32_t end) const {
    return place < end && kind_of(point_at(bytes + place, bytes + end).code) == Kind::kDigit;
  }

  // Take the next code point, and return whether it belongs to the token of the one before.
  static bool step(Before& before, Kind kind, bool is_first, bool digit_follows) {
    const bool extends = is_extend(kind);
    const bool in_number = kind == Kind::kPoint && !is_first && before.kind == Kind::kDigit && digit_follows;
    const bool word = is_plain(kind) || in_number;
    const Kind base = extends && !is_first ? before.base : kind;
    const bool base_is_word = extends && !is_first ? before.base_is_word : word;
    // A mark that has nothing to belong to is a letter of its own.
    const bool is_word = base_is_word || (extends && (base == Kind::kGap || is_extend(base)));
    const std::uint32_t regionals = kind != Kind::kRegional ? 0 : is_first ? 1 : before.regionals + 1;
    const bool same = kind == before.base;
    const bool goes = (is_word && before.is_word) || (extends && before.kind != Kind::kGap) ||
                      (kind == Kind::kPictograph && before.kind == Kind::kJoiner && same) ||
                      (kind == Kind::kCharacter && before.kind == Kind::kLinker && same) ||
                      (kind == Kind::kRegional && regionals % 2 == 0);
    before = {kind, base, base_is_word, is_word, regionals};
    return goes && !is_first;
  }

  Table classes_;
  enum class Ascii : std::uint8_t { kOther, kPlain, kGap };
  std::array<Ascii, 256> ascii_{};  // letters and digits, and gaps, of ASCII: what most texts have most
  bool in_blocks_ = true;           // ASCII characters are of the kinds that blocks have
};

}  // namespace ragauge
