"""Exclusive locks on open files. The system releases them when the process ends, also by `kill -9`."""

from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def lock(file: IO[Any]) -> bool:
    """Lock an open file; `False` if another process or another open file has locked it."""
    if fcntl is not None:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
    import msvcrt  # type: ignore[unreachable]

    try:
        file.seek(1 << 30)  # a byte that no record has: a locked byte cannot be read by others
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
