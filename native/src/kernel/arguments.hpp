// Arguments of Python as memory, and work that is done without the GIL.
#pragma once

#include "python.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>

namespace ragauge {

// The memory of an argument, given back at the end.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (view.obj) PyBuffer_Release(&view);
  }

  template <class Value>
  Value* as() const {
    return static_cast<Value*>(view.buf);
  }
  template <class Value>
  std::int64_t count() const {
    return view.len / static_cast<std::int64_t>(sizeof(Value));
  }

  Py_buffer view{};
};

inline void check_room(const Buffer& out, std::int64_t values) {
  if (out.count<std::int64_t>() != values) throw std::invalid_argument("an output has the wrong size");
}

// Do `work` without the GIL; return whether it succeeded, with Python's exception set if not.
inline bool released(const std::function<void()>& work) {
  std::string problem;
  bool memory = false;
  PyThreadState* state = PyEval_SaveThread();
  try {
    work();
  } catch (const std::bad_alloc&) {
    memory = true;
  } catch (const std::exception& error) {
    problem = error.what();
    if (problem.empty()) problem = "the kernel failed";
  }
  PyEval_RestoreThread(state);
  if (memory) PyErr_NoMemory();
  if (!problem.empty()) PyErr_SetString(PyExc_ValueError, problem.c_str());
  return !memory && problem.empty();
}

}  // namespace ragauge
