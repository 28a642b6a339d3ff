// Runs of samples, worked on by threads. Results do not depend on how many threads there are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ragauge {

using Run = std::pair<std::int64_t, std::int64_t>;

// Values of one run: enough that to start it costs nothing, and so few that they stay in the processor's cache.
constexpr std::int64_t kRunSize = 1 << 17;

// Return neighbouring samples in runs of about `most` values.
template <class AnySamples>
std::vector<Run> runs_of(const AnySamples& samples, std::int64_t most = kRunSize) {
  std::vector<Run> runs;
  std::int64_t begin = 0;
  for (std::int64_t end = 1; end <= samples.size(); ++end) {
    if (end == samples.size() || samples.work(begin, end + 1) > most) {
      runs.emplace_back(begin, end);
      begin = end;
    }
  }
  return runs;
}

// Call work(own, number of the run) for each run; a thread takes the next run when it has done one, with the Own memory that
// it had.
template <class Own, class Work>
void in_threads(std::int64_t runs, std::int64_t threads, const Work& work) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  auto worker = [&] {
    try {
      Own own;
      for (std::int64_t run = next++; run < runs; run = next++) work(own, run);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(guard);
      failure = std::current_exception();
      next = runs;
    }
  };
  const std::int64_t wanted = std::max<std::int64_t>(std::min(threads, runs) - 1, 0);
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(wanted));
  for (std::int64_t thread = 0; thread < wanted; ++thread) {
    try {
      others.emplace_back(worker);
    } catch (...) {
      break;  // The system gives no more threads, or no memory for one: those that there are do the work.
    }
  }
  worker();
  for (auto& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

// Call work(number of the run) for each run.
template <class Work>
void in_threads(std::int64_t runs, std::int64_t threads, const Work& work) {
  struct None {};
  in_threads<None>(runs, threads, [&](None&, std::int64_t run) { work(run); });
}

}  // namespace ragauge
