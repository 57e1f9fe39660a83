// A part of Thrust: vectors, iterators, function objects and algorithms. Algorithms run on the host, on the memory of the device, and not
// as kernels: no detector watches them. docs/running-a-program.md lists what is there; universal vectors, complex numbers, sets and
// allocators are missing.
#pragma once

#include "thrust/thrust_algorithms.hpp"
