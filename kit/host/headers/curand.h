// Replaces the header of cuRAND of this name: a part of it.
#pragma once
#define CURAND_H_
#include "random_calls.hpp"
