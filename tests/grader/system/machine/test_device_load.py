"""Work goes to the GPU with the least work."""

from __future__ import annotations

from grader.engines.backend import Device, GpuBackend
from grader.system.gpu_lock import DeviceLoad


def test_the_first_of_those_with_the_least_work_is_next() -> None:
    load = DeviceLoad()
    with load.least((0, 1)) as first, load.least((0, 1)) as second, load.least((0, 1)) as third:
        assert (first, second, third) == (0, 1, 0)
        with load.least((0, 1)) as fourth:
            assert fourth == 1
        with load.least((0, 1)) as fifth:
            assert fifth == 1  # given back
    with load.least((0, 1)) as again:
        assert again == 0


def test_a_backend_lends_all_its_devices_at_once() -> None:
    one, other = (Device(i, "Fake GPU", 90, 4, 1 << 30, 4, 13000) for i in (0, 1))
    backend = GpuBackend(device=one, others=(other,))
    with backend.borrowed_device() as first, backend.borrowed_device() as second:
        assert {first, second} == {one, other}
    with GpuBackend().borrowed_device() as nothing:
        assert nothing is None
