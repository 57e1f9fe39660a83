// Replaces the header of Thrust of this name: a part of it.
#pragma once
#include "thrust.hpp"
