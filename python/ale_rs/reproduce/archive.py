"""Run logs of a reproduction as one small file: the lines of all logs, one after the other, compressed.

A log lies where its first line says. Where an entry has several directories of logs, a line
`{"kind": "place", "path": DIR}` says which of them the logs after it belong to.
"""

import gzip
import io
import json
import os
from pathlib import Path, PurePosixPath

from ale_rs.evaluation.records import Run

__all__ = ["finished", "pack", "unpack"]


def finished(logs: str | os.PathLike[str]) -> list[Path]:
    """The finished run logs below a directory, in the order of their names."""
    return [path for path in sorted(Path(logs).rglob("s*.jsonl")) if _ended(path.read_bytes())]


def pack(logs: str | os.PathLike[str], path: str | os.PathLike[str]) -> int:
    """Write all finished run logs below a directory into one file; the same logs give the same bytes.

    Returns:
        how many logs.
    """
    memory = io.BytesIO()
    found = finished(logs)
    place = "."
    with gzip.GzipFile(fileobj=memory, mode="wb", filename="", mtime=0) as file:
        for log in found:
            data = log.read_bytes()
            inside = PurePosixPath(Run.from_dict(json.loads(data.partition(b"\n")[0])).path)
            here = log.relative_to(logs).parents[len(inside.parts) - 1].as_posix()
            if here != place:
                place = here
                file.write(json.dumps({"kind": "place", "path": place}).encode() + b"\n")
            file.write(data)
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_suffix(".tmp")
    temporary.write_bytes(memory.getvalue())
    temporary.replace(target)
    return len(found)


def _ended(data: bytes) -> bool:
    """Whether a log has its last line; a crash may have cut it anywhere."""
    try:
        return data.endswith(b"\n") and json.loads(data.splitlines()[-1]).get("kind") == "end"
    except ValueError:
        return False


def unpack(path: str | os.PathLike[str], out: str | os.PathLike[str]) -> list[Path]:
    """Write the logs of a packed file as files again.

    Returns:
        the files; `ale_rs.evaluation.load` reads them.

    Raises:
        ValueError: the file is damaged.
    """
    place = Path(out)
    try:
        lines = gzip.decompress(Path(path).read_bytes()).splitlines(keepends=True)
    except (OSError, EOFError) as error:
        raise ValueError(f"{path}: no packed logs: {error}") from None
    files: list[Path] = []
    for line in lines:
        record = json.loads(line)
        if record.get("kind") == "place":
            part = PurePosixPath(str(record.get("path")))
            if part.is_absolute() or ".." in part.parts:
                raise ValueError(f"{path}: {part} is no directory of logs")
            place = Path(out, part)
            continue
        if record.get("kind") == "run":
            files.append(place / Path(Run.from_dict(record).path))
            files[-1].parent.mkdir(parents=True, exist_ok=True)
            files[-1].unlink(missing_ok=True)
        if not files:
            raise ValueError(f"{path}: begins with a line of kind {record.get('kind')}, expected run")
        with files[-1].open("ab") as file:
            file.write(line)
    return files
