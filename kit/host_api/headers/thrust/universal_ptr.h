// Replaces the header of Thrust of this name. Pointers to managed memory are missing; a program that only includes the header is right.
#include "thrust.hpp"
