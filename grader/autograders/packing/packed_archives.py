"""Archives of a pack's files as bytes: a zip, or a tar without compression. The same files give the same bytes."""

from __future__ import annotations

import io
import stat
import tarfile
import time as clock
import zipfile

from grader.autograders.packing.autograder_pack import Files
from grader.course.tarball import PackedFile

_FIRST = 315_619_200  # a zip knows no time before 1980


def zipped(files: Files, time: int) -> PackedFile:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, clock.gmtime(max(time, _FIRST))[:6])
            info.external_attr = (stat.S_IFREG | _mode(files[name])) << 16
            info.create_system = 3  # Unix: unzip then keeps modes
            archive.writestr(info, files[name].data, zipfile.ZIP_DEFLATED)
    return PackedFile(data.getvalue())


def tarred(files: Files, time: int) -> PackedFile:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.mtime = len(files[name].data), _mode(files[name]), time
            tar.addfile(member, io.BytesIO(files[name].data))
    return PackedFile(data.getvalue())


def _mode(file: PackedFile) -> int:
    return 0o755 if file.executable else 0o644
