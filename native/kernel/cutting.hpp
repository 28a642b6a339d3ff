// Where tokens stand in a text: the rules of mteval's scripts and of rouge-score, as ragauge.tokenizers has them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "unicode.hpp"

namespace ragauge {

// Tokens: where each begins and ends in the bytes of `Scratch`, in turn; or a code point of three bytes, and 0.
struct Tokens {
  std::vector<std::uint32_t> edges;  // there is room for more than are used
  std::size_t used = 0;

  std::size_t size() const { return used / 2; }
  void clear() { used = 0; }
  void add(std::uint32_t start, std::uint32_t end) {
    std::uint32_t* const edge = more(1);
    edge[0] = start;
    edge[1] = end;
    used += 2;
  }
  void add_plain(std::uint32_t start, std::uint32_t end) { add(start, end); }
  void add_characters(std::uint32_t start, std::uint32_t count) {
    std::uint32_t* const edge = more(count);
    for (std::uint32_t character = 0; character < count; ++character) {
      edge[2 * character] = start + 3 * character;
      edge[2 * character + 1] = start + 3 * character + 3;
    }
    used += 2 * std::size_t{count};
  }

  // Make room for so many more tokens, and return where the first has its edges.
  std::uint32_t* more(std::size_t count) {
    if (used + 2 * count > edges.size()) edges.resize(2 * (used + 2 * count) + 64);
    return edges.data() + used;
  }
};

// The bytes of a sample's texts, one after the other, with room behind them so that eight bytes can be read anywhere.
struct Scratch {
  static constexpr std::size_t kPadding = 16;
  std::vector<std::uint8_t> bytes;
  std::size_t size = 0;
  std::vector<std::uint8_t> flags;  // of the bytes of one text
  std::set<std::string> unknown;    // words of all samples whose form is not known

  void clear() { size = 0; }

  // Make room for so many more bytes, and return where they begin.
  std::uint8_t* more(std::size_t count) {
    if (bytes.size() < size + count + kPadding) bytes.resize(2 * (size + count + kPadding));
    return bytes.data() + size;
  }

  // Keep the bytes of a text, and return where they begin.
  std::uint32_t keep(const std::uint8_t* text, std::int64_t length) {
    const std::size_t begin = size;
    const auto count = static_cast<std::size_t>(length);
    std::uint8_t* const here = more(count);
    if (count) std::memcpy(here, text, count);
    size += count;
    return static_cast<std::uint32_t>(begin);
  }
};

// Which bytes of a text are marked, as bits, so that the next mark is found without looking at each byte.
class Marks {
 public:
  // Mark the bytes whose entry in `marked` is 1.
  void set(const std::uint8_t* text, std::size_t length, const std::array<std::uint8_t, 256>& marked) {
    bits_.resize(length / 64 + 1);
    for (std::size_t block = 0; block < bits_.size(); ++block) {
      const std::uint8_t* here = text + 64 * block;
      const std::size_t size = std::min<std::size_t>(64, length - 64 * block);
      std::uint64_t bits = 0;
      for (std::size_t byte = 0; byte < size; ++byte) bits |= std::uint64_t{marked[here[byte]]} << byte;
      bits_[block] = bits;
    }
  }

  // Mark the flags that are 1; the others are 0, also 64 that stand behind the last.
  void set(const std::uint8_t* flags, std::size_t length) {
    bits_.resize(length / 64 + 1);
    for (std::size_t block = 0; block < bits_.size(); ++block) {
      std::uint64_t bits = 0;
      for (unsigned byte = 0; byte < 64; byte += 8) bits |= eight_flags(flags + 64 * block + byte) << byte;
      bits_[block] = bits;
    }
  }

  // Return the first marked place from `place` on, or `length` if there is none.
  std::size_t next(std::size_t place, std::size_t length) const {
    if (place >= length) return length;
    std::size_t block = place / 64;
    std::uint64_t bits = bits_[block] >> (place % 64) << (place % 64);
    while (bits == 0) {
      if (++block == bits_.size()) return length;
      bits = bits_[block];
    }
    return 64 * block + static_cast<std::size_t>(std::countr_zero(bits));
  }

  // Append each run of marked bytes as a token; `offset` is the place of the first byte.
  void append_runs(std::size_t length, std::uint32_t offset, Tokens& tokens) const {
    if (tokens.edges.size() < tokens.used + length + 2) tokens.edges.resize(2 * (tokens.used + length + 2));
    std::uint32_t* edge = tokens.edges.data() + tokens.used;
    std::uint64_t last = 0;
    for (std::size_t block = 0; block < bits_.size(); ++block) {
      const std::uint64_t bits = bits_[block];
      for (std::uint64_t flips = bits ^ (bits << 1 | last); flips; flips &= flips - 1) {
        *edge++ = offset + static_cast<std::uint32_t>(64 * block) + static_cast<std::uint32_t>(std::countr_zero(flips));
      }
      last = bits >> 63;
    }
    if (last) *edge++ = offset + static_cast<std::uint32_t>(length);
    tokens.used = static_cast<std::size_t>(edge - tokens.edges.data());
  }

  // Return bit `flag` of eight bytes as eight bits, the first lowest.
  static std::uint64_t eight_flags(const std::uint8_t* flags, unsigned flag = 0) {
    if constexpr (std::endian::native == std::endian::little) {
      std::uint64_t together;
      std::memcpy(&together, flags, 8);
      together = together >> flag & 0x0101010101010101u;
      return (together * 0x0102040810204080u) >> 56;  // flag i moves from bit 8 i to bit 56 + i
    }
    std::uint64_t bits = 0;
    for (unsigned byte = 0; byte < 8; ++byte) bits |= std::uint64_t{flags[byte]} >> flag << 63 >> (63 - byte);
    return bits;
  }

 private:
  std::vector<std::uint64_t> bits_;
};

// `Part` in ragauge.tokenizers.mteval: the class of a character. kWide stands for bytes that begin no ASCII character.
enum Part : std::uint8_t { kOther, kGap, kAlone, kSeparator, kDigit, kDash, kWide };

// One of mteval's scripts, after `MtevalRules` and `Mteval13a` in ragauge.tokenizers.mteval.
class MtevalRules {
 public:
  // padded: the script puts a space before and behind a text. decoded: it replaces entities first. stripped: it takes
  // white space off the beginning, too.
  MtevalRules(Table table, bool padded, bool decoded, bool stripped)
      : table_(table), padded_(padded), decoded_(decoded), stripped_(stripped) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      ascii_[byte] = byte < 0x80 ? table[byte] : std::uint8_t{kWide};
      special_[byte] = ascii_[byte] != kOther && ascii_[byte] != kDigit;
    }
  }

  // Append the tokens of a text; its bytes are kept in `scratch`.
  void cut(const std::uint8_t* text, std::int64_t length, Scratch& scratch, Marks& marks,
           Tokens& tokens) const {
    length = trimmed(text, length);
    if (stripped_) {
      const std::uint8_t* end = text + length;
      for (Seen seen; text < end && (seen = look(text, end)).part == kGap;) text += seen.width;
      length = end - text;
    }
    std::string decoded;
    if (decoded_ && needs_decoding(text, length)) {
      decoded = decode(std::string(reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)));
      text = reinterpret_cast<const std::uint8_t*>(decoded.data());
      length = static_cast<std::int64_t>(decoded.size());
    }
    std::uint8_t* here = scratch.more(static_cast<std::size_t>(length));
    if (length) std::memcpy(here, text, static_cast<std::size_t>(length));
    marks.set(here, static_cast<std::size_t>(length), special_);
    cut_points(here, here + length, static_cast<std::uint32_t>(scratch.size), marks, tokens);
    scratch.size += static_cast<std::size_t>(length);
  }

 private:
  struct Seen {
    Part part;
    std::int64_t width;
  };

  Seen look(const std::uint8_t* at, const std::uint8_t* end) const {
    const std::uint8_t part = ascii_[*at];
    if (part != kWide) return {static_cast<Part>(part), 1};
    const Point point = point_at(at, end);
    return {static_cast<Part>(table_[point.code]), point.width};
  }

  // White space at the end is no part of a text, see `Batch.texts`.
  std::int64_t trimmed(const std::uint8_t* text, std::int64_t length) const {
    while (length) {
      std::int64_t start = length - 1;
      while (start > 0 && length - start < 4 && (text[start] & 0xC0) == 0x80) --start;
      const Seen last = look(text + start, text + length);
      if (last.part != kGap || start + last.width != length) return length;
      length = start;
    }
    return 0;
  }

  static bool needs_decoding(const std::uint8_t* text, std::int64_t length) {
    const auto size = static_cast<std::size_t>(length);
    if (size == 0) return false;
    if (std::memchr(text, '&', size) || std::memchr(text, '<', size)) return true;
    const std::uint8_t* end = text + size;
    for (const std::uint8_t* at = text; at < end; ++at) {
      at = static_cast<const std::uint8_t*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      if (!at) return false;
      if (at > text && at[-1] == '-') return true;
    }
    return false;
  }

  // Each pair is replaced in the whole text before the next: decoding "&amp;" can make another entity.
  static std::string decode(std::string text) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kReplaced{{
        {"<skipped>", ""}, {"-\n", ""}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}}};
    for (const auto& [old, now] : kReplaced) {
      std::size_t place = text.find(old);
      if (place == std::string::npos) continue;
      std::string replaced;
      std::size_t done = 0;
      for (; place != std::string::npos; place = text.find(old, done)) {
        replaced.append(text, done, place - done).append(now);
        done = place + old.size();
      }
      text = replaced.append(text, done, std::string::npos);
    }
    return text;
  }

  void cut_points(const std::uint8_t* text, const std::uint8_t* end, std::uint32_t offset, const Marks& marks,
                  Tokens& tokens) const {
    const std::uint8_t* open = nullptr;  // where the token begins that has not ended yet
    auto close = [&](const std::uint8_t* at) {
      if (open) {
        tokens.add(offset + static_cast<std::uint32_t>(open - text), offset + static_cast<std::uint32_t>(at - text));
      }
      open = nullptr;
    };
    Part before = kOther;
    for (const std::uint8_t* at = text; at < end;) {
      if (!special_[*at]) {
        if (!open) open = at;
        at = text + marks.next(static_cast<std::size_t>(at - text), static_cast<std::size_t>(end - text));
        before = static_cast<Part>(ascii_[at[-1]]);
        if (at == end) break;
      }
      const Seen seen = look(at, end);
      switch (seen.part) {
        case kGap:
          close(at);
          break;
        case kSeparator:
          at = separators(at, text, end, before, open, close);
          before = kSeparator;
          continue;
        case kDash:
          if (before != kDigit) {
            if (!open) open = at;
            break;
          }
          [[fallthrough]];
        case kAlone:
          close(at);
          open = at;
          close(at + seen.width);
          break;
        default:
          if (!open) open = at;
      }
      before = seen.part;
      at += seen.width;
    }
    close(end);
  }

  // Cut a run of separators, see `MtevalRules._separate`; return where it ends.
  template <class Close>
  const std::uint8_t* separators(const std::uint8_t* at, const std::uint8_t* text, const std::uint8_t* end, Part before,
                                 const std::uint8_t*& open, const Close& close) const {
    const bool digit_before = at == text ? !padded_ : before == kDigit;
    const std::uint8_t* last = at;  // the last separator of the run
    const std::uint8_t* next = at;  // what comes after it
    std::int64_t length = 0;
    Part after = kSeparator;
    while (next < end) {
      const Seen seen = look(next, end);
      after = seen.part;
      if (after != kSeparator) break;
      last = next;
      next += seen.width;
      ++length;
    }
    const bool digit_after = next == end ? !padded_ : after == kDigit;
    const bool stays = digit_after && (length + digit_before) % 2 == 0;
    if (stays && digit_before && length == 1) {
      if (!open) open = at;
      return next;
    }
    while (at < last) {
      close(at);
      open = at;
      at += look(at, end).width;
    }
    close(last);
    open = last;
    if (!stays) close(next);
    return next;
  }

  Table table_;
  bool padded_;
  bool decoded_;
  bool stripped_;
  std::array<std::uint8_t, 256> ascii_{};
  std::array<std::uint8_t, 256> special_{};  // 1 where a byte may end a token
};

// Runs of ASCII letters and digits in lower case, after `RougeScore` in ragauge.tokenizers.rouge_score.
class RougeRules {
 public:
  RougeRules() {
    for (int byte = 0; byte < 256; ++byte) {
      const bool upper = byte >= 'A' && byte <= 'Z';
      const bool kept = upper || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
      lower_[static_cast<std::size_t>(byte)] = static_cast<std::uint8_t>(kept ? byte | 0x20 : 0);
    }
  }

  void cut(const std::uint8_t* text, std::int64_t length, Scratch& scratch, Marks& marks,
           Tokens& tokens) const {
    std::vector<std::uint8_t>& flags = scratch.flags;
    const auto size = static_cast<std::size_t>(length);
    std::uint8_t* here = scratch.more(size);
    const auto offset = static_cast<std::uint32_t>(scratch.size);
    if (has_letters(text, size)) {
      scratch.size += cut_letters(text, text + size, here, offset, tokens);
      return;
    }
    flags.resize(size + 64);
    std::uint8_t* __restrict flag = flags.data();
    for (std::size_t byte = 0; byte < size; ++byte) {
      // Arithmetic instead of a table, so that the compiler computes many bytes at a time.
      const auto lower = static_cast<std::uint8_t>(text[byte] | 0x20);
      const auto kept = static_cast<std::uint8_t>((static_cast<std::uint8_t>(lower - 'a') < 26) |
                                                  (static_cast<std::uint8_t>(text[byte] - '0') < 10));
      here[byte] = lower;
      flag[byte] = kept;
    }
    std::fill_n(flags.begin() + static_cast<std::ptrdiff_t>(size), 64, std::uint8_t{0});
    marks.set(flags.data(), size);
    marks.append_runs(size, offset, tokens);
    scratch.size += size;
  }

 private:
  static bool is_kelvin(const std::uint8_t* at, const std::uint8_t* end) {
    return end - at > 2 && at[0] == 0xE2 && at[1] == 0x84 && at[2] == 0xAA;
  }
  static bool is_dotted(const std::uint8_t* at, const std::uint8_t* end) {
    return end - at > 1 && at[0] == 0xC4 && at[1] == 0xB0;
  }

  // Return whether a text has one of the two letters beyond ASCII whose lower case is in it.
  static bool has_letters(const std::uint8_t* text, std::size_t size) {
    const std::uint8_t* end = text + size;
    for (const int lead : {0xE2, 0xC4}) {
      for (const std::uint8_t* at = text; at < end; ++at) {
        at = static_cast<const std::uint8_t*>(std::memchr(at, lead, static_cast<std::size_t>(end - at)));
        if (!at) break;
        if (is_kelvin(at, end) || is_dotted(at, end)) return true;
      }
    }
    return false;
  }

  // Cut a text with such letters; return how many bytes were written.
  std::size_t cut_letters(const std::uint8_t* text, const std::uint8_t* end, std::uint8_t* here, std::uint32_t offset,
                          Tokens& tokens) const {
    std::uint32_t written = 0, open = 0;
    auto close = [&] {
      if (written > open) tokens.add(offset + open, offset + written);
      open = written;
    };
    for (const std::uint8_t* at = text; at < end;) {
      if (lower_[*at]) {
        here[written++] = lower_[*at];
        ++at;
      } else if (is_kelvin(at, end)) {
        here[written++] = 'k';
        at += 3;
      } else {
        // The lower case of a dotted I is i and a combining dot, where the token ends.
        const bool dotted = is_dotted(at, end);
        if (dotted) here[written++] = 'i';
        close();
        at += dotted ? 2 : 1;
      }
    }
    close();
    return written;
  }

  std::array<std::uint8_t, 256> lower_{};
};

}  // namespace ragauge
