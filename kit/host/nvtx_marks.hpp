// NVTX's marks are for a profiler, and there is none: they do nothing.
#pragma once

#include <cstdint>

typedef std::uint64_t nvtxRangeId_t;
struct nvtxEventAttributes_t {
  std::uint16_t version, size;
  std::uint32_t category;
  std::int32_t colorType;
  std::uint32_t color;
  std::int32_t payloadType, reserved0;
  union {
    std::uint64_t ullValue;
    std::int64_t llValue;
    double dValue;
  } payload;
  std::int32_t messageType;
  union {
    const char* ascii;
    const wchar_t* unicode;
  } message;
};
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE (static_cast<std::uint16_t>(sizeof(nvtxEventAttributes_t)))
enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1, NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2 };

inline int nvtxRangePush(const char*) { return 0; }
inline int nvtxRangePushA(const char*) { return 0; }
inline int nvtxRangePushEx(const nvtxEventAttributes_t*) { return 0; }
inline int nvtxRangePop() { return 0; }
inline void nvtxMark(const char*) {}
inline void nvtxMarkA(const char*) {}
inline void nvtxMarkEx(const nvtxEventAttributes_t*) {}
inline nvtxRangeId_t nvtxRangeStart(const char*) { return 0; }
inline nvtxRangeId_t nvtxRangeStartA(const char*) { return 0; }
inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t*) { return 0; }
inline void nvtxRangeEnd(nvtxRangeId_t) {}
inline void nvtxNameOsThread(std::uint32_t, const char*) {}
