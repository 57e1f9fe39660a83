// libwb's names for types, memory and the standard library's classes that it brings into the global namespace.
#pragma once

#include <cassert>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using std::exception;
using std::string;
using std::stringstream;
using std::vector;

typedef bool wbBool;
typedef float wbReal_t;
typedef char wbChar_t;

#define wbTrue true
#define wbFalse false
#define wbStmt(stmt) stmt
#define wbAssert(...) assert((__VA_ARGS__))
#define wbExit() exit(1)

#define wbMalloc(bytes) malloc(bytes)
#define wbRealloc(pointer, bytes) realloc(pointer, bytes)
#define wbNew(type) ((type*)malloc(sizeof(type)))
#define wbNewArray(type, count) ((type*)malloc((count) * sizeof(type)))
#define wbFree(pointer) (free(pointer), (pointer) = nullptr)
#define wbDelete(pointer) wbFree(pointer)
