// Replaces the header of cuRAND of this name: a part of it.
#pragma once
#include "random_calls.hpp"
