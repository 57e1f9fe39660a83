// Replaces the header of Thrust of this name: a part of it.
#include "thrust.hpp"
