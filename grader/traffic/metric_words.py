"""What counted numbers are called in reports and write-ups, and what they mean. Pure. The keys are Nsight Compute's names."""

from __future__ import annotations

_WORDS = {
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio": "sectors per load request",
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio": "sectors per store request",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "load requests",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "store requests",
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum": "requests of atomic functions",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "sectors loaded",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "sectors stored",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "wavefronts of shared loads",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "wavefronts of shared stores",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": "bank conflicts of shared loads",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "bank conflicts of shared stores",
}
# In the order in which a page explains them. Each begins with the word that it explains.
_MEANINGS = {
    "sectors": "A sector is 32 bytes of global memory. A GPU loads and stores whole sectors.",
    "requests": "A request is one access by the threads of a warp together.",
    "wavefronts": "A wavefront is one pass through shared memory, in which a warp reaches each of the 32 banks once.",
    "bank conflicts": "A bank conflict is a further pass, because threads of a warp want different words of the same bank.",
}


def metric_words(name: str) -> str:
    """`sectors loaded`; a name that has no words is its own."""
    return _WORDS.get(name, name)


def per_work_words(name: str, unit: str) -> str:
    """`sectors loaded for each multiply-add`; a ratio is for no unit of work."""
    words = metric_words(name)
    return words if name.endswith(".ratio") else f"{words} for each {unit}"


def meanings(names: list[str]) -> list[str]:
    """A sentence for each thing that these metrics count."""
    said = " ".join(metric_words(name) for name in names)
    return [meaning for word, meaning in _MEANINGS.items() if word in said]
