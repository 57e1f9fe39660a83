"""One honest message for each reader of `native/message_fuzz.cpp`: where libFuzzer begins."""

from __future__ import annotations

import json
import random
from pathlib import Path

from conversation_fuzzer import honest_reply

_OTHERS = Path(__file__).parent / "samples" / "messages.json"


def message_samples() -> dict[str, bytes]:
    """By the reader's name."""
    reply = json.dumps(honest_reply(random.Random(1))).encode()
    frames = b"".join(len(text).to_bytes(4, "little") + text for text in (b"{}", reply, b""))
    others = json.loads(_OTHERS.read_text(encoding="utf-8"))
    return {"reply": reply, "frames": frames, **{reader: json.dumps(one).encode() for reader, one in others.items()}}
