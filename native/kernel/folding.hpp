// The forms under which tokens are compared, as ragauge.tokenizers.forms makes them.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "cutting.hpp"
#include "hashing.hpp"
#include "lists.hpp"
#include "unicode.hpp"

namespace ragauge {

// The form of each code point, with its marks; those past the end have that of the last entry.
struct PointForms {
  static constexpr std::uint32_t kCode = (1 << 21) - 1, kSilent = 1 << 21, kKnown = 1 << 22;

  const std::uint32_t* points;
  std::int64_t size;

  std::uint32_t operator[](std::uint32_t code) const { return points[std::min<std::int64_t>(code, size - 1)]; }
};

// What is known of forms: that of each code point, and that of words whose form is not that of their code points, one
// after the other; `KnownForms` in ragauge.tokenizers.forms.
class Forms {
 public:
  // articles: English articles are dropped, too.
  Forms(PointForms points, const Lists<std::uint8_t>& words, const Lists<std::uint8_t>& forms, bool articles)
      : points_(points), articles_(articles) {
    if (points.size < 1 || words.n != forms.n) throw std::invalid_argument("no code point, or not a form for each word");
    lowers_ = (points_['A'] & kCode) == 'a';
    by_word_ = !(points_['a'] & kKnown);
    for (std::uint32_t code = 0; code < 0x80; ++code) silent_ |= (points_[code] & kSilent) != 0;
    known_.reserve(static_cast<std::size_t>(words.n));
    for (std::int64_t word = 0; word < words.n; ++word) known_.emplace(text_of(words, word), text_of(forms, word));
  }

  // Write the forms of the tokens from edge `edge` on, whose bytes begin at `begin`; those that are dropped, or that
  // are not known, are left out.
  void write(std::size_t edge, std::size_t begin, Scratch& scratch, Tokens& tokens) const {
    const std::size_t end = scratch.size;
    const bool wide = by_word_ || is_wide(scratch.bytes.data() + begin, end - begin);
    if (wide || silent_ || articles_) {
      std::uint32_t* const edges = tokens.edges.data();
      std::size_t kept = edge;
      for (; edge < tokens.used; edge += 2) {
        std::uint32_t start = edges[edge], stop = edges[edge + 1];
        const std::uint8_t* at = scratch.bytes.data() + start;
        if (stop - start == 3 && at[0] >> 4 == 0xE) {  // one code point: most tokens of Chinese and Japanese
          const std::uint32_t code = point_at(at, at + 3).code, form = points_[code];
          if (form & kKnown && (form & kCode) == code) {
            edges[kept] = start;
            edges[kept + 1] = stop;
            kept += form & kSilent ? 0 : 2;
            continue;
          }
        }
        if (wide && (by_word_ || is_wide(at, stop - start))) {
          if (!written(scratch, start, stop)) continue;
        } else if (is_dropped(at, stop - start)) {
          continue;
        }
        edges[kept++] = start;
        edges[kept++] = stop;
      }
      tokens.used = kept;
    }
    // Tokens of ASCII stay where they are; the bytes of all others have been written anew, or stay.
    if (lowers_) lower(scratch.bytes.data() + begin, end - begin);
  }

 private:
  static constexpr std::uint32_t kCode = PointForms::kCode, kSilent = PointForms::kSilent, kKnown = PointForms::kKnown;
  // The form of a word that is dropped: no byte of a text.
  static constexpr std::string_view kDropped = "\xFF";

  struct Hash {
    std::size_t operator()(std::string_view text) const {
      std::uint64_t hash = text.size() * multiplier();
      for (std::size_t done = 0; done < text.size(); done += 8) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, text.data() + done, std::min<std::size_t>(8, text.size() - done));
        hash = ((hash ^ (hash >> 32)) + bytes) * multiplier();
      }
      return static_cast<std::size_t>(hash ^ (hash >> 32));
    }
  };

  static std::string_view text_of(const Lists<std::uint8_t>& texts, std::int64_t text) {
    return {reinterpret_cast<const char*>(texts.begin(text)), static_cast<std::size_t>(texts.length(text))};
  }

  static bool is_wide(const std::uint8_t* bytes, std::size_t size) {
    std::uint8_t all = 0;
    for (std::size_t byte = 0; byte < size; ++byte) all |= bytes[byte];
    return all >= 0x80;
  }

  static void lower(std::uint8_t* bytes, std::size_t size) {
    for (std::size_t byte = 0; byte < size; ++byte) {
      const bool upper = static_cast<std::uint8_t>(bytes[byte] - 'A') < 26;
      bytes[byte] = static_cast<std::uint8_t>(bytes[byte] | (upper ? 0x20 : 0));
    }
  }

  static bool is_article(const std::uint8_t* word, std::size_t size) {
    if ((word[0] | 0x20) == 'a') return size == 1 || (size == 2 && (word[1] | 0x20) == 'n');
    return size == 3 && (word[0] | 0x20) == 't' && (word[1] | 0x20) == 'h' && (word[2] | 0x20) == 'e';
  }

  bool is_dropped(const std::uint8_t* word, std::size_t size) const {
    if (articles_ && is_article(word, size)) return true;
    std::size_t silent = 0;
    while (silent < size && points_[word[silent]] & kSilent) ++silent;
    return silent == size;
  }

  // Set where the form of a token stands; return whether it has one.
  bool written(Scratch& scratch, std::uint32_t& start, std::uint32_t& stop) const {
    const std::size_t size = stop - start;
    std::uint8_t* const begin = scratch.more(4 * size);  // no code point takes more bytes than four
    std::uint8_t* here = begin;
    const std::uint8_t* const word = scratch.bytes.data() + start;
    std::uint32_t silent = kSilent;
    bool same = true;
    for (const std::uint8_t *at = word, *const end = word + size; at < end;) {
      const Point read = point_at(at, end);
      const std::uint32_t form = points_[read.code];
      if (!(form & kKnown)) return looked_up(scratch, start, stop);
      silent &= form;
      same &= (form & kCode) == read.code;
      here = put(here, form & kCode);
      at += read.width;
    }
    if (silent) return false;
    if (!same) move(scratch, static_cast<std::size_t>(here - begin), start, stop);
    return true;
  }

  bool looked_up(Scratch& scratch, std::uint32_t& start, std::uint32_t& stop) const {
    const std::string_view word{reinterpret_cast<const char*>(scratch.bytes.data() + start), stop - start};
    const auto found = known_.find(word);
    if (found == known_.end()) {
      scratch.unknown.emplace(word);
      return false;
    }
    const std::string_view form = found->second;
    if (form == kDropped) return false;
    std::memcpy(scratch.more(form.size()), form.data(), form.size());
    move(scratch, form.size(), start, stop);
    return true;
  }

  // Take the next `size` bytes for the token.
  static void move(Scratch& scratch, std::size_t size, std::uint32_t& start, std::uint32_t& stop) {
    if (scratch.size + size > UINT32_MAX) throw std::length_error("a sample has too long texts");
    start = static_cast<std::uint32_t>(scratch.size);
    scratch.size += size;
    stop = static_cast<std::uint32_t>(scratch.size);
  }

  static std::uint8_t* put(std::uint8_t* here, std::uint32_t code) {
    const auto byte = [&](std::uint32_t bits) { *here++ = static_cast<std::uint8_t>(bits); };
    if (code < 0x80) {
      byte(code);
    } else if (code < 0x800) {
      byte(0xC0 | code >> 6);
      byte(0x80 | (code & 0x3F));
    } else {
      if (code < 0x10000) {
        byte(0xE0 | code >> 12);
      } else {
        byte(0xF0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3F));
      }
      byte(0x80 | (code >> 6 & 0x3F));
      byte(0x80 | (code & 0x3F));
    }
    return here;
  }

  PointForms points_;
  bool articles_;
  bool lowers_;          // letters of ASCII
  bool by_word_;         // words of ASCII are looked up, too
  bool silent_ = false;  // some character of ASCII is dropped where it stands alone
  std::unordered_map<std::string_view, std::string_view, Hash> known_;
};

// Tokens by other rules, in their forms.
template <class Rules>
class Folded {
 public:
  Folded(const Rules& rules, const Forms& forms) : rules_(rules), forms_(forms) {}

  void cut(const std::uint8_t* text, std::int64_t length, Scratch& scratch, Marks& marks, Tokens& tokens) const {
    const std::size_t edge = tokens.used, begin = scratch.size;
    rules_.cut(text, length, scratch, marks, tokens);
    forms_.write(edge, begin, scratch, tokens);
  }

 private:
  const Rules& rules_;
  const Forms& forms_;
};

}  // namespace ragauge
