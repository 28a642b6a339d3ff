// The functions of the module for sparse vectors and n-gram recall.
#pragma once

#include "python.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "lists.hpp"
#include "scripts.hpp"
#include "sparse.hpp"
#include "threads.hpp"

namespace ragauge {

// script_ngrams(code points, offsets, kinds, shapes, ignored kind, threads, out: lengths) -> (keys, counts)
inline PyObject* script_ngrams(PyObject*, PyObject* arguments) {
  ListArguments in;
  Buffer kinds, shapes, lengths;
  long long ignored, threads;
  if (!PyArg_ParseTuple(arguments, "y*y*y*y*LLw*", &in.values.view, &in.offsets.view, &kinds.view, &shapes.view, &ignored,
                        &threads, &lengths.view)) {
    return nullptr;
  }
  std::vector<std::vector<std::uint32_t>> keys;
  std::vector<std::vector<std::int64_t>> counts;
  const bool done = released([&] {
    const auto texts = in.lists<std::uint32_t>();
    if (ignored < 0 || ignored > 255) throw std::invalid_argument("the ignored kind must be from 0 to 255");
    const ShapeRules rules{{kinds.as<const std::uint8_t>(), kinds.count<std::uint8_t>()}, shapes.as<const Shape>(),
                           shapes.count<Shape>(), static_cast<std::uint8_t>(ignored)};
    rules.check();
    check_room(lengths, texts.n);
    // A character gives some three keys, and ragauge gives a run of the other functions at once.
    const std::vector<Run> runs = runs_of(texts, kRunSize / 8);
    keys.resize(runs.size());
    counts.resize(runs.size());
    in_threads(static_cast<std::int64_t>(runs.size()), threads, [&](std::int64_t run) {
      const auto place = static_cast<std::size_t>(run);
      ScriptCutting cutting(rules);
      for (std::int64_t text = runs[place].first; text < runs[place].second; ++text) {
        lengths.as<std::int64_t>()[text] = cutting.cut(texts.begin(text), texts.length(text), keys[place], counts[place]);
      }
    });
  });
  return done ? both(bytes_of(keys), bytes_of(counts)) : nullptr;
}

// dots(keys, offsets, weights, left numbers, right numbers, threads, out: products) -> None
inline PyObject* dots(PyObject*, PyObject* arguments) {
  ListArguments in;
  Buffer weights, left, right, products;
  long long threads;
  if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*Lw*", &in.values.view, &in.offsets.view, &weights.view, &left.view,
                        &right.view, &threads, &products.view)) {
    return nullptr;
  }
  const bool done = released([&] {
    const SparseColumn vectors{in.lists<std::uint32_t>(), weights.as<const std::uint16_t>()};
    const std::int64_t pairs = left.count<std::int64_t>();
    if (weights.count<std::uint16_t>() != in.values.count<std::uint32_t>()) throw std::invalid_argument("one weight a key");
    check_room(right, pairs);
    check_room(products, pairs);
    constexpr std::int64_t kPairs = 256;
    in_threads((pairs + kPairs - 1) / kPairs, threads, [&](std::int64_t run) {
      for (std::int64_t pair = run * kPairs; pair < std::min(pairs, (run + 1) * kPairs); ++pair) {
        const std::int64_t one = left.as<const std::int64_t>()[pair], other = right.as<const std::int64_t>()[pair];
        vectors.check(one);
        vectors.check(other);
        products.as<double>()[pair] = vectors.dot(one, other);
      }
    });
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

// holders(wanted keys, offsets; keys of vectors, offsets; numbers of vectors, offsets; threads; out: lengths) -> holders
// For each wanted key of each sample, which of the sample's vectors hold it: places among the numbers of vectors, rising.
inline PyObject* holders(PyObject*, PyObject* arguments) {
  ListArguments wanted, vectors, texts;
  Buffer lengths;
  long long threads;
  if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*y*Lw*", &wanted.values.view, &wanted.offsets.view, &vectors.values.view,
                        &vectors.offsets.view, &texts.values.view, &texts.offsets.view, &threads, &lengths.view)) {
    return nullptr;
  }
  std::vector<std::vector<std::int64_t>> parts;
  const bool done = released([&] {
    const auto keys = wanted.lists<std::uint64_t>();
    const auto entries = vectors.lists<std::uint32_t>();
    const auto numbers = texts.lists<std::int64_t>();
    if (numbers.n != keys.n) throw std::invalid_argument("as many samples on both sides");
    check_room(lengths, wanted.values.count<std::uint64_t>());
    // Keys before the first list and after the last one would keep what stands in the output.
    if (keys.offsets[0] != 0 || keys.offsets[keys.n] != wanted.values.count<std::uint64_t>()) {
      throw std::invalid_argument("all keys must belong to a sample");
    }
    constexpr std::int64_t kSamples = 16;
    const std::int64_t runs = (keys.n + kSamples - 1) / kSamples;
    parts.resize(static_cast<std::size_t>(runs));
    in_threads(runs, threads, [&](std::int64_t run) {
      Wanted own;
      std::vector<std::pair<std::int64_t, std::int64_t>> matches;
      std::vector<std::int64_t> ends;
      std::vector<std::int64_t>& out = parts[static_cast<std::size_t>(run)];
      for (std::int64_t sample = run * kSamples; sample < std::min(keys.n, (run + 1) * kSamples); ++sample) {
        const std::int64_t count = keys.length(sample);
        std::int64_t* length = lengths.as<std::int64_t>() + keys.offsets[sample];
        std::fill_n(length, count, 0);
        if (!count) continue;
        own.enter(keys.begin(sample), count);
        matches.clear();
        for (std::int64_t place = numbers.offsets[sample]; place < numbers.offsets[sample + 1]; ++place) {
          const std::int64_t vector = numbers.values[place];
          if (vector < 0 || vector >= entries.n) throw std::invalid_argument("a number must be that of a vector");
          for (const std::uint32_t *key = entries.begin(vector), *end = key + entries.length(vector); key < end; ++key) {
            const std::int64_t number = own.find(*key);
            if (number < 0) continue;
            ++length[number];
            matches.emplace_back(number, place);
          }
        }
        // Matches come text by text; they are put key by key.
        ends.resize(static_cast<std::size_t>(count));
        std::exclusive_scan(length, length + count, ends.begin(), static_cast<std::int64_t>(out.size()));
        out.resize(out.size() + matches.size());
        for (const auto& [number, place] : matches) {
          out[static_cast<std::size_t>(ends[static_cast<std::size_t>(number)]++)] = place;
        }
      }
    });
  });
  return done ? bytes_of(parts) : nullptr;
}

// near(segments, offsets; lists, places, weights, zeros, rooms of terms; begins, ends, window; threads; out: sums) -> None
// Term i is in the segments of list lists[i], and adds to the sums from places[i] on, as `NearSums`. Terms of one place
// stand together.
inline PyObject* near(PyObject*, PyObject* arguments) {
  ListArguments in;
  Buffer lists, places, weights, zeros, rooms, begins, ends, sums;
  long long window, threads;
  if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*y*y*y*y*LLw*", &in.values.view, &in.offsets.view, &lists.view,
                        &places.view, &weights.view, &zeros.view, &rooms.view, &begins.view, &ends.view, &window, &threads,
                        &sums.view)) {
    return nullptr;
  }
  const bool done = released([&] {
    const auto segments = in.lists<std::int64_t>();
    const std::int64_t terms = lists.count<std::int64_t>(), size = begins.count<std::int64_t>();
    for (const Buffer* other : {&places, &weights, &zeros, &rooms}) check_room(*other, terms);
    check_room(ends, size);
    const std::int64_t* end = segments.values + segments.offsets[segments.n];
    const bool inside = std::all_of(segments.begin(0), end, [&](std::int64_t one) { return one >= 0 && one < size; });
    if (!inside || window < 1 || window > std::int64_t{1} << 31) {
      throw std::invalid_argument("segments must be there, and the window from 1 to 2^31");
    }
    const Neighbours neighbours{begins.as<const std::int64_t>(), ends.as<const std::int64_t>(), window};
    const auto *place = places.as<const std::int64_t>(), *room = rooms.as<const std::int64_t>();
    const auto *list = lists.as<const std::int64_t>(), *zero = zeros.as<const std::int64_t>();
    for (std::int64_t term = 0, last = 0; term < terms; ++term) {
      const bool own = term == 0 || place[term] == place[term - 1] || place[term] >= last;
      if (list[term] < 0 || list[term] >= segments.n || place[term] < 0 || room[term] < 0 || zero[term] < 0 ||
          zero[term] > size || room[term] > sums.count<std::int64_t>() - place[term] || !own) {
        throw std::invalid_argument("a term must have a list, and sums of its own");
      }
      last = std::max(last, place[term] + room[term]);
    }
    std::vector<Run> runs;
    for (std::int64_t first = 0, last; first < terms; first = last) {
      for (last = std::min(terms, first + 512); last < terms && place[last] == place[last - 1];) ++last;
      runs.emplace_back(first, last);
    }
    in_threads(static_cast<std::int64_t>(runs.size()), threads, [&](std::int64_t run) {
      const auto [first, last] = runs[static_cast<std::size_t>(run)];
      NearSums claim(neighbours);
      for (std::int64_t term = first; term < last; ++term) {
        if (term == first || place[term] != place[term - 1]) claim.start(sums.as<std::uint64_t>() + place[term]);
        const auto weight = static_cast<std::uint64_t>(weights.as<const std::int64_t>()[term]);
        claim.add(segments.begin(list[term]), segments.length(list[term]), weight, zero[term], room[term]);
      }
      claim.finish();
    });
  });
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

}  // namespace ragauge
