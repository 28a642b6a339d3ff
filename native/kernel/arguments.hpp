// Arguments of Python as memory, and work that is done without the GIL.
#pragma once

#include "python.hpp"

#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "lists.hpp"

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

  // A value that does not lie where its type must may not be read as one.
  template <class Value>
  Value* as() const {
    if (view.len && reinterpret_cast<std::uintptr_t>(view.buf) % alignof(Value)) {
      throw std::invalid_argument("an argument must be aligned to its type");
    }
    return static_cast<Value*>(view.buf);
  }
  template <class Value>
  std::int64_t count() const {
    return view.len / static_cast<std::int64_t>(sizeof(Value));
  }

  Py_buffer view{};
};

// Check that there is room for `width` numbers of 64 bits in each of `rows`; width is 1 or more.
inline void check_room(const Buffer& out, std::int64_t rows, std::int64_t width = 1) {
  out.as<std::int64_t>();
  const std::int64_t room = out.count<std::int64_t>();
  // The product may be more than 64 bits hold.
  if (rows > room / width || rows * width != room) throw std::invalid_argument("an output has the wrong size");
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

// Lists as two buffers: values, and int64 offsets.
struct ListArguments {
  Buffer values;
  Buffer offsets;

  template <class Value>
  Lists<Value> lists() const {
    if (offsets.count<std::int64_t>() < 1) throw std::invalid_argument("offsets must not be empty");
    const Lists<Value> lists{values.as<const Value>(), offsets.as<const std::int64_t>(),
                             offsets.count<std::int64_t>() - 1};
    lists.check(values.count<Value>());
    return lists;
  }
};

inline PyObject* bytes_of(const void* data, std::size_t size) {
  return PyBytes_FromStringAndSize(static_cast<const char*>(data), static_cast<Py_ssize_t>(size));
}

template <class Value>
PyObject* bytes_of(const std::vector<Value>& values) {
  return bytes_of(values.data(), values.size() * sizeof(Value));
}

// Append the parts of runs, one after the other, as bytes.
template <class Value>
PyObject* bytes_of(const std::vector<std::vector<Value>>& parts) {
  std::size_t size = 0;
  for (const auto& part : parts) size += part.size() * sizeof(Value);
  PyObject* bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
  if (!bytes) return nullptr;
  char* here = PyBytes_AsString(bytes);
  for (const auto& part : parts) {
    if (!part.empty()) std::memcpy(here, part.data(), part.size() * sizeof(Value));
    here += part.size() * sizeof(Value);
  }
  return bytes;
}

// Both as a tuple, or null where one is; they are given away.
inline PyObject* both(PyObject* one, PyObject* other) {
  PyObject* tuple = one && other ? PyTuple_Pack(2, one, other) : nullptr;
  Py_XDECREF(one);
  Py_XDECREF(other);
  return tuple;
}

}  // namespace ragauge
