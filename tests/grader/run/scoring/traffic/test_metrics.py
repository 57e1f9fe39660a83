"""Ratios and bytes under Nsight Compute's names, and the passes of the load/store unit that accesses take."""

from __future__ import annotations

from grader.run.scoring.metrics import derived, global_passes, l1_bytes, passes, work_name

# tiled_16 on 67x71x53, as an H200 counted it (tests/golden).
TILED = {
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": 25600,
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": 1600,
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 1355,
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": 170,
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 6885,
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": 885,
}


def test_a_sector_is_32_bytes() -> None:
    assert derived(TILED)["l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum"] == 6885 * 32
    assert l1_bytes(TILED) == (6885 + 885) * 32


def test_sectors_per_request_is_the_mean_over_requests() -> None:
    ratio = derived(TILED)["l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"]
    assert round(ratio, 6) == 5.205882


def test_a_kernel_without_loads_has_no_sectors_per_request() -> None:
    idle = dict.fromkeys(TILED, 0)
    assert [name for name in derived(idle) if name.endswith(".ratio")] == []


def test_a_request_takes_a_pass_however_little_it_fetches() -> None:
    broadcast = {
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 100,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 100,
    }
    assert global_passes(broadcast) == 100


def test_a_request_takes_a_pass_for_every_128_bytes() -> None:
    scattered = {
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 100,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 3201,
    }
    assert global_passes(scattered) == 801


def test_shared_wavefronts_and_global_passes_add_up() -> None:
    assert global_passes(TILED) == 1722 + 222
    assert passes(TILED) == 27200 + 1722 + 222


def test_work_is_named_by_its_unit() -> None:
    assert work_name("multiply-add") == "tilelab__multiply_adds.sum"
