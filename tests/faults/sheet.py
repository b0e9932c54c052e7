"""A program under fail_call.c: which calls it makes and from where, or what it does when one of them fails."""

import os
import struct
from pathlib import Path
from typing import NamedTuple

LIBRARY = os.environ["FAIL_CALL"]
PLACES = 16384
HEAD, PLACE = struct.Struct("<QQ"), struct.Struct("<QQ24s24sQ")  # struct sheet, struct place
ALLOCATIONS = ("malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign")


class Place(NamedTuple):
    """Where calls come from: a return address of the program, or what led to one of a library."""
    call: str
    module: str     # the caller, or who called the C library; empty: the program
    offset: int     # of the return address in its module
    key: int
    count: int      # of calls

    @property
    def site(self):
        return self.call, self.module, self.offset

    def __str__(self):
        return f"{self.call} at {self.module or 'slurmscope'}+{self.offset:#x} ({self.key:016x})"


class Sheet:
    """The file that both sides map."""

    def __init__(self, folder):
        self.path = Path(folder, "calls")
        with open(self.path, "wb") as file:
            file.truncate(HEAD.size + PLACES * PLACE.size)

    def environment(self, place=None, nth=1):
        """Of a program in which the nth call of the place fails; without a place all are only counted."""
        chosen = {"FAIL_KEY": f"{place.key:x}", "FAIL_NTH": str(nth)} if place else {}
        return {"LD_PRELOAD": LIBRARY, "FAIL_FILE": str(self.path), **chosen}

    def struck(self):
        """Whether the call was made, and failed."""
        with open(self.path, "rb") as file:
            return HEAD.unpack(file.read(HEAD.size))[0] > 0

    def places(self):
        """In the same order each time."""
        whole = self.path.read_bytes()
        _, is_full = HEAD.unpack_from(whole)
        assert not is_full, f"more than {PLACES} places"
        found = []
        for key, offset, call, module, count in PLACE.iter_unpack(whole[HEAD.size:]):
            if key:
                found.append(Place(*(text.rstrip(b"\0").decode() for text in (call, module)), offset, key, count))
        return sorted(found)
