"""Run a command while the system refuses executable pages: what was writable never becomes executable.

    python scripts/no_executable_pages.py pytest tests/api/test_env_golden.py

By `PR_SET_MDWE` where the kernel has it (Linux 6.3), else by a seccomp filter, which refuses `mprotect` with
`PROT_EXEC`. Both are inherited by the command. Linux on x86-64 only.
"""

import ctypes
import mmap
import os
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_SET_MDWE = 22, 38, 65
SECCOMP_MODE_FILTER = 2
MDWE_REFUSE_EXEC_GAIN = 1

ARCHITECTURE, NUMBER, THIRD_ARGUMENT = 4, 0, 32
"""Where `struct seccomp_data` holds them: the processor, the call, the protection that `mprotect` sets."""
X86_64, MPROTECT = 0xC000003E, 10
REFUSE, ALLOW = 0x00050001, 0x7FFF0000
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
FILTER = (
    (LOAD, 0, 0, ARCHITECTURE),
    (EQUAL, 0, 5, X86_64),
    (LOAD, 0, 0, NUMBER),
    (EQUAL, 0, 3, MPROTECT),
    (LOAD, 0, 0, THIRD_ARGUMENT),
    (ANY_BIT, 0, 1, mmap.PROT_EXEC),
    (RETURN, 0, 0, REFUSE),
    (RETURN, 0, 0, ALLOW),
)
"""Operation, instructions to skip if it holds and if not, operand."""


class Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def refuse_executable_pages() -> str:
    """Restrict this process and all that it starts; say how.

    Raises:
        OSError: the system has neither way.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_MDWE, MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) == 0:
        return "PR_SET_MDWE"
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *row) for row in FILTER))
    program = Program(len(FILTER), ctypes.addressof(code))
    filtered = libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    filtered = filtered and libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0
    if not filtered:
        raise OSError(ctypes.get_errno(), "neither PR_SET_MDWE nor a seccomp filter is accepted")
    return "seccomp"


if __name__ == "__main__":
    print(f"executable pages are refused by {refuse_executable_pages()}", file=sys.stderr)
    os.execvp(sys.argv[1], sys.argv[1:])
