"""What the commands for kernels are asked: `trace`, `check` and `run`. Their options as data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.requests.error_exit import argument, flag, option

# ruff: noqa: RUF009 -- `option` and `argument` make fields

Kernel = Annotated[Path | None, typer.Argument(help="the .cu file; default: the lab's file in assignments/")]
OfLab = Annotated[str | None, typer.Option(help="the lab it is for; default: the lab that the file belongs to")]
_Macros = Annotated[tuple[str, ...], typer.Option("-D", help="a macro, as a compiler takes it: NAME or NAME=VALUE")]
_Folders = Annotated[tuple[Path, ...], typer.Option("-I", help="a folder with headers of the file's author")]
_ShowPage = Annotated[bool, typer.Option("--show/--no-show", help="open that page, if there is a browser")]


@dataclass(frozen=True)
class TraceWish:
    """Show what one block of a kernel does on a small input: loads, barriers, reads, sums, stores."""

    file: Kernel = None
    lab: OfLab = None
    shape: str | None = option("small sizes of the problem: M, N and K of a product; default: the lab's", default=None)
    block: str | None = option(
        "which block to follow: x,y or x,y,z; default: 0,0; of your own launches: where the first mistake is",
        default=None,
    )
    launch: str | None = option(
        "which launch of your own host code: its number or its kernel; default: the first with a finding", default=None
    )
    threads: tuple[str, ...] = option(
        "show this thread's rows only, in full; may be given several times", "--thread", default=()
    )
    whole: bool = flag("--all", "show a row for every thread, and every interval")
    inputs: str | None = option(
        "what the inputs hold: worked, integers or random; default: the first that there are", default=None
    )
    as_json: bool = flag("--json", "print everything as JSON instead")
    page: Path | None = option(
        "where to write the page that steps through the block; default: build/trace/LAB.html", default=None
    )
    paged: bool = option("write that page", "--with-page/--no-page", default=True)
    show: _ShowPage = True


@dataclass(frozen=True)
class CheckOptions:
    """Run one kernel of any file under every detector: races, bounds, uninitialised reads, barriers."""

    file: Path = argument("any .cu file")
    kernel: str | None = option(
        "its name: scale, ns::scale or 'scale<float>'; default: the only kernel of the file", default=None
    )
    grid: str | None = option("blocks: x, x,y or x,y,z; default: 1", default=None)
    block: str | None = option("threads of a block: x, x,y or x,y,z; default: 32", default=None)
    shared_bytes: int = option("bytes of dynamic shared memory", "--shared", min=0, default=0)
    cooperative: bool = flag(
        "--cooperative", "a cooperative launch, for grid.sync(); also if the file's host code makes one"
    )
    arguments: tuple[str, ...] = option(
        "an argument, in the kernel's order: a buffer as float[4096]=random, =iota, =0, ={1,2,3}, =@file or without =, a value as int=64",
        "--arg",
        default=(),
    )
    definitions: _Macros = ()
    folders: _Folders = ()
    settings: tuple[str, ...] = option(
        "what a __constant__ or __device__ variable holds: 'weights={1,2,1}', 'scale=0.5', 'w[9]=random'",
        "--set",
        default=(),
    )
    seed: int = option("the seed of random numbers", min=0, default=1)
    early_return: str = option(
        "what it is if a thread returns before a barrier of its block: note or error", default="note"
    )
    trace: bool = flag("--trace", "also write a page that steps through the block of the first finding, and open it")
    page: Path | None = option("where to write that page; default: build/trace/check-KERNEL.html", default=None)
    show: _ShowPage = True
    as_json: bool = flag("--json", "print verdict, metrics and findings as JSON instead")


@dataclass(frozen=True)
class RunOptions:
    """What `tilelab run` was asked to do."""

    file: Path = argument("a .cu file with main(); what follows it are the program's own arguments")
    definitions: _Macros = ()
    folders: _Folders = ()
    others: tuple[Path, ...] = option("another source of the program; may be given several times", "--with", default=())
    readable: tuple[Path, ...] = option(
        "a folder that the program may read besides the current one; may be given several times", "--read", default=()
    )
    seconds: int = option("how long the program may run", min=1, max=86400, default=600)
    as_json: bool = flag("--json", "print findings, exit status and the program's output as JSON instead")
