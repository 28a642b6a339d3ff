// Where tokens stand in a text by the rules of ragauge.tokenizers.auto: words, or characters, by script.
#pragma once

#include <array>
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
    }
  }

  // Append the tokens of a text; its bytes are kept in `scratch`.
  void cut(const std::uint8_t* text, std::int64_t length, Scratch& scratch, Marks&, Tokens& tokens) const {
    const auto size = static_cast<std::size_t>(length);
    if (size) std::memcpy(scratch.more(size), text, size);
    const auto begin = static_cast<std::uint32_t>(scratch.size);
    scratch.size += size;
    cut(scratch.bytes.data(), begin, static_cast<std::uint32_t>(scratch.size), tokens);
  }

  // Append the tokens of the bytes from `begin` to `end`.
  void cut(const std::uint8_t* bytes, std::uint32_t begin, std::uint32_t end, Tokens& tokens) const {
    Before before;
    std::uint32_t start = end;  // of the present token; `end` where there is none
    const auto close = [&](std::uint32_t place) {
      if (start != end) tokens.add(start, place);
      start = end;
    };
    for (std::uint32_t place = begin; place < end;) {
      const std::uint8_t byte = bytes[place];
      if (ascii_[byte] == Ascii::kPlain) {
        if (!before.is_word) close(place);
        if (start == end) start = place;
        do ++place;
        while (place < end && ascii_[bytes[place]] == Ascii::kPlain);
        const Kind last = kind_of(bytes[place - 1]);
        before = {last, last, true, true, 0};
        continue;
      }
      if (ascii_[byte] == Ascii::kGap) {
        close(place++);
        before = {};
        continue;
      }
      const Point point = point_at(bytes + place, bytes + end);
      const auto next = place + static_cast<std::uint32_t>(point.width);
      const Kind kind = kind_of(point.code);
      if (kind == Kind::kCharacter && before.kind != Kind::kLinker) {  // nothing but a linker goes before it
        close(place);
        start = place;
        place = next;
        before = {kind, kind, false, false, 0};
        continue;
      }
      const bool goes = step(before, kind, place == begin, is_digit_at(bytes, next, end));
      if (kind == Kind::kGap || !goes) close(place);
      if (start == end && kind != Kind::kGap) start = place;
      place = next;
    }
    close(end);
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
};

}  // namespace ragauge
