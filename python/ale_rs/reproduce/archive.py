"""Run logs of a reproduction as one small file: the lines of all logs, one after the other, compressed."""

import gzip
import io
import json
import os
from pathlib import Path

from ale_rs.evaluation import RunSet, load
from ale_rs.evaluation.records import Run

__all__ = ["pack", "unpack"]


def pack(logs: str | os.PathLike[str], path: str | os.PathLike[str]) -> int:
    """Write all finished run logs below a directory into one file; the same logs give the same bytes.

    Returns:
        how many logs.
    """
    memory = io.BytesIO()
    count = 0
    with gzip.GzipFile(fileobj=memory, mode="wb", filename="", mtime=0) as file:
        for log in sorted(Path(logs).rglob("s*.jsonl")):
            data = log.read_bytes()
            if _finished(data):
                file.write(data)
                count += 1
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_suffix(".tmp")
    temporary.write_bytes(memory.getvalue())
    temporary.replace(target)
    return count


def _finished(data: bytes) -> bool:
    """Whether a log has its last line; a crash may have cut it anywhere."""
    try:
        return data.endswith(b"\n") and json.loads(data.splitlines()[-1]).get("kind") == "end"
    except ValueError:
        return False


def unpack(path: str | os.PathLike[str], out: str | os.PathLike[str]) -> RunSet:
    """Write the logs of a packed file as files again, and read them.

    Raises:
        ValueError: the file is damaged.
    """
    place = Path(out)
    try:
        lines = gzip.decompress(Path(path).read_bytes()).splitlines(keepends=True)
    except (OSError, EOFError) as error:
        raise ValueError(f"{path}: no packed logs: {error}") from None
    target: Path | None = None
    for line in lines:
        record = json.loads(line)
        if record.get("kind") == "run":
            target = place / Path(Run.from_dict(record).path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
        if target is None:
            raise ValueError(f"{path}: begins with a line of kind {record.get('kind')}, expected run")
        with target.open("ab") as file:
            file.write(line)
    return load(place)
