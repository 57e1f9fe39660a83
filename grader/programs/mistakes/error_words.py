"""CUDA's errors by their numbers: their names, CUDA's own words, and what a student may look at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ErrorWords:
    name: str
    said: str  # as cudaGetErrorString has it
    advice: str = ""


NOT_READY = 600
FIRST_OF_KERNELS = 700  # errors from this number on are what a kernel leaves behind
_ERRORS = {
    1: ErrorWords(
        "cudaErrorInvalidValue",
        "invalid argument",
        "Check the pointers, the bytes and the direction of this call.",
    ),
    2: ErrorWords(
        "cudaErrorMemoryAllocation",
        "out of memory",
        "Check how the number of bytes is computed, and what could be freed before.",
    ),
    9: ErrorWords(
        "cudaErrorInvalidConfiguration",
        "invalid configuration argument",
        "A block has at most 1,024 threads, and no side of a grid or a block may be 0.",
    ),
    12: ErrorWords(
        "cudaErrorInvalidPitchValue",
        "invalid pitch argument",
        "A pitch is at least as large as the bytes of a row.",
    ),
    13: ErrorWords(
        "cudaErrorInvalidSymbol",
        "invalid device symbol",
        "Name the variable itself, not its address or a string.",
    ),
    17: ErrorWords("cudaErrorInvalidDevicePointer", "invalid device pointer"),
    21: ErrorWords("cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"),
    20: ErrorWords(
        "cudaErrorInvalidChannelDescriptor",
        "invalid channel descriptor",
        "A texel has one, two or four numbers of the same size: make its description with cudaCreateChannelDesc<T>().",
    ),
    26: ErrorWords(
        "cudaErrorInvalidFilterSetting",
        "linear filtering not supported for non-float type",
        "A linear filter needs texels of floats, or integers of 8 or 16 bits that are read with cudaReadModeNormalizedFloat.",
    ),
    98: ErrorWords(
        "cudaErrorInvalidDeviceFunction",
        "invalid device function",
        "Only a __global__ function can be launched.",
    ),
    100: ErrorWords("cudaErrorNoDevice", "no CUDA-capable device is detected"),
    101: ErrorWords(
        "cudaErrorInvalidDevice",
        "invalid device ordinal",
        "There is one device here: number 0.",
    ),
    400: ErrorWords(
        "cudaErrorInvalidResourceHandle",
        "invalid resource handle",
        "Check whether this stream or event was created, and not yet destroyed.",
    ),
    600: ErrorWords("cudaErrorNotReady", "device not ready"),
    700: ErrorWords(
        "cudaErrorIllegalAddress",
        "an illegal memory access was encountered",
        "A kernel before this call used memory that it may not use.",
    ),
    701: ErrorWords(
        "cudaErrorLaunchOutOfResources",
        "too many resources requested for launch",
        "Use fewer threads in a block or less shared memory.",
    ),
    702: ErrorWords("cudaErrorLaunchTimeout", "the launch timed out and was terminated"),
    709: ErrorWords("cudaErrorContextIsDestroyed", "context is destroyed"),
    710: ErrorWords("cudaErrorAssert", "device-side assert triggered"),
    715: ErrorWords("cudaErrorIllegalInstruction", "an illegal instruction was encountered"),
    716: ErrorWords("cudaErrorMisalignedAddress", "misaligned address"),
    719: ErrorWords("cudaErrorLaunchFailure", "unspecified launch failure"),
    720: ErrorWords("cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"),
    801: ErrorWords("cudaErrorNotSupported", "operation not supported"),
    900: ErrorWords(
        "cudaErrorStreamCaptureUnsupported",
        "operation not permitted when stream is capturing",
        "Between begin and end of a capture, call only what adds work to a stream: allocate before, wait afterwards.",
    ),
    901: ErrorWords(
        "cudaErrorStreamCaptureInvalidated",
        "operation failed due to a previous error during capture",
        "An earlier call since cudaStreamBeginCapture failed, or was not allowed.",
    ),
    902: ErrorWords("cudaErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"),
    903: ErrorWords(
        "cudaErrorStreamCaptureUnmatched",
        "capture was not ended in the same stream as it began",
        "End a capture in the stream in which it began.",
    ),
    904: ErrorWords(
        "cudaErrorStreamCaptureUnjoined",
        "capturing stream has unjoined work",
        "Record an event at the end of each stream that joined the capture, and let the first stream wait for it.",
    ),
    905: ErrorWords(
        "cudaErrorStreamCaptureIsolation",
        "dependency created on uncaptured work in another stream",
        "This event was not recorded in the capture.",
    ),
    906: ErrorWords(
        "cudaErrorStreamCaptureImplicit",
        "operation would make the legacy stream depend on a capturing blocking stream",
        "Name the captured stream in this call, or create that stream with cudaStreamNonBlocking.",
    ),
    907: ErrorWords(
        "cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"
    ),
    908: ErrorWords(
        "cudaErrorStreamCaptureWrongThread",
        "attempt to terminate a thread-local capture sequence from another thread",
    ),
    910: ErrorWords(
        "cudaErrorGraphExecUpdateFailure",
        "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update",
        "Instantiate the graph anew where its nodes or edges have changed.",
    ),
    999: ErrorWords("cudaErrorUnknown", "unknown error"),
}


def error_words(error: int) -> ErrorWords:
    return _ERRORS.get(error, ErrorWords(f"error {error}", f"error {error}"))
