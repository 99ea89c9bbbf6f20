"""Opening and writing files: gzip by content, standard streams as `-`, errors in one line.

Reading is piece by piece. Writing goes to a temporary name beside the target, which is renamed when
all is written: a reader never sees half a file, and an error leaves what was there before. The temporary
file is locked meanwhile, so that the next program that writes there can tell what a killed one has left.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any

from corelax.core.errors import CorelaxError, FormatError
from corelax.core.locks import HAS_LOCKS, new_temporary, remove_leftovers, unfinished
from corelax.core.printable import data_output, naming_output

STANDARD = "-"
TOO_LARGE = "does not fit into memory; give less of it at a time"
TOO_DEEP = "brackets are nested too deeply"
MAX_LINE = 1 << 26  # characters of a line: more than any document of jsonlines has
_BUFFER = 1 << 17
_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class LineTooLong(Exception):
    """A line of more than `MAX_LINE` characters. `open_text` turns it into a `FormatError`."""


class TextFile(io.TextIOWrapper):
    """A text file that can be looked into before it is read, standard input too.

    Its lines are at most `MAX_LINE` characters long: a small gzip file may hold gigabytes without a line end.
    """

    buffer: io.BufferedReader

    @property
    def head(self) -> str:
        """The beginning of a file of which nothing was read yet."""
        return self.buffer.peek().decode(self.encoding, errors="replace")

    def __next__(self) -> str:  # type: ignore[override]  # which is bytes in typeshed
        line = self.readline(MAX_LINE + 1)
        if not line:
            raise StopIteration
        if len(line) > MAX_LINE:
            raise LineTooLong
        return line


@contextmanager
def open_text(
    path: str | os.PathLike[str], encoding: str = "utf-8", newline: str | None = None
) -> Iterator[TextFile]:
    """A text file for reading, unpacked if it is gzipped; `-` is standard input.

    What goes wrong while the file is read inside the `with` block comes out as a `FormatError`.
    """
    name = os.fspath(path)
    try:
        with open_bytes(name) as raw:
            if encoding == "utf-8" and raw.peek(3)[:3] == _BYTE_ORDER_MARK:
                raw.read(3)
            text = TextFile(raw, encoding=encoding, newline=newline)
            try:
                yield text
            finally:
                text.detach()  # or it would close standard input
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        message = f"not UTF-8 text (byte 0x{byte:02x}); convert the file to UTF-8"
    except LineTooLong:
        message = f"a line of more than {MAX_LINE:,} characters; is this a text file?"
    except EOFError:
        message = "the gzip data is cut short"
    except (zlib.error, gzip.BadGzipFile) as error:
        message = f"the gzip data is damaged ({error})"
    except MemoryError:
        raise CorelaxError(f"{shown(name)}: {TOO_LARGE}") from None
    except RecursionError:
        raise CorelaxError(f"{shown(name)}: {TOO_DEEP}") from None
    else:
        return
    raise FormatError(message, path=shown(name), line=_first_bad_line(name, encoding))


@contextmanager
def open_bytes(name: str) -> Iterator[io.BufferedReader]:
    """The unpacked bytes of a file or of standard input."""
    with ExitStack() as stack:
        try:
            if name == STANDARD:
                stream: Any = _standard_input()
            else:
                _check_ends(name, Path(name).stat())
                stream = stack.enter_context(Path(name).open("rb", buffering=_BUFFER))
            is_packed = stream.peek(2)[:2] == _GZIP_MAGIC
        except OSError as error:
            raise CorelaxError(f"{name}: {explain(error)}") from None
        if is_packed:
            unpacked = stack.enter_context(gzip.GzipFile(fileobj=stream))
            stream = io.BufferedReader(unpacked, buffer_size=_BUFFER)
        yield stream


def _standard_input() -> Any:
    """Standard input, if there is one and it has an end."""
    if sys.stdin is None:
        raise CorelaxError("<stdin>: standard input is closed; name a file")
    with suppress(io.UnsupportedOperation):  # not every stream is a file
        _check_ends("<stdin>", os.fstat(sys.stdin.fileno()))
    return sys.stdin.buffer


def _check_ends(name: str, status: os.stat_result) -> None:
    """An error for a device, such as /dev/zero, that is neither a terminal nor empty: it has no end."""
    is_device = stat.S_ISBLK(status.st_mode) or stat.S_ISCHR(status.st_mode)
    if not is_device or status.st_rdev == Path(os.devnull).stat().st_rdev:
        return
    with nullcontext(sys.stdin) if name == "<stdin>" else open(name, "rb", 0) as device:  # noqa: PTH123
        if not device.isatty():
            raise CorelaxError(f"{name}: this is a device, which may never end; name a file")


def shown(name: str) -> str:
    """A path as messages show it."""
    return "<stdin>" if name == STANDARD else name


def explain(error: OSError) -> str:
    """An operating system error in the user's words."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "this is a directory; name a file in it"
    if isinstance(error, PermissionError):
        return "no permission to open it"
    return error.strerror or str(error)


def _first_bad_line(name: str, encoding: str) -> int | None:
    """Where the file stops being readable: a second look, taken only when the first failed."""
    if name == STANDARD:
        return None
    number, length = 1, 0  # of the line that the next piece goes on with
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with open_bytes(name) as raw:
            while content := raw.read(_BUFFER):
                for i, line in enumerate(decoder.decode(content).split("\n")):
                    number, length = (number + 1, len(line)) if i else (number, length + len(line))
                    if length > MAX_LINE:
                        return number
    except UnicodeDecodeError as error:
        return number + error.object[: error.start].count(b"\n")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return _unpacked_lines(name) + 1
    return None


def _unpacked_lines(name: str) -> int:
    """The number of whole lines that damaged gzip data still gives."""
    count = 0
    member = zlib.decompressobj(zlib.MAX_WBITS | 16)
    with Path(name).open("rb") as packed:
        while piece := packed.read(_BUFFER):
            while piece:
                try:
                    count += member.decompress(piece).count(b"\n")
                except zlib.error:
                    return count
                # What follows the end of a member would be collected again and again.
                piece = member.unused_data
                if member.eof:
                    member = zlib.decompressobj(zlib.MAX_WBITS | 16)
    return count


@contextmanager
def open_for_writing(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    """A text file for writing, gzipped if its name ends in `.gz`; `-` is standard output."""
    name = os.fspath(path)
    try:
        with _standard_output() if name == STANDARD else _replaced_text(name) as text:
            yield text
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        raise CorelaxError(f"{shown(name)}: cannot write the character {character!a}") from None


@contextmanager
def _standard_output() -> Iterator[IO[str]]:
    output = data_output()
    with naming_output():
        yield output
        output.flush()


@contextmanager
def _replaced_text(name: str) -> Iterator[IO[str]]:
    """A text file that takes the place of what was there when all is written."""
    with replaced(name) as raw:
        # No name and no time in the gzip header: the same content gives the same bytes.
        zipped = name.endswith(".gz")
        packed: Any = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if zipped else raw
        text = io.TextIOWrapper(packed, encoding="utf-8", newline="\n")
        try:
            yield text
        finally:
            text.detach()  # which writes what is left, and leaves the file open
            if zipped:
                packed.close()


class _Output(io.FileIO):
    """A file whose errors name it."""

    def __init__(self, handle: int, name: str) -> None:
        super().__init__(handle, "wb")
        self._shown = name

    def write(self, content: Any) -> int:
        try:
            return super().write(content)
        except OSError as error:
            error.filename = self._shown
            raise


@contextmanager
def replaced(name: str) -> Iterator[IO[bytes]]:
    """A file that takes the place of what was there when all is written."""
    target = Path(name).resolve()  # what a link leads to is written, the link stays
    in_place = target.exists() and not target.is_file()  # a pipe or device cannot be replaced
    temporary = target
    try:
        if in_place:
            handle = os.open(target, os.O_WRONLY)
        else:
            remove_leftovers(target.parent)
            handle, temporary = new_temporary(target.parent)
    except OSError as error:
        where = "" if in_place else f"cannot write to {Path(name).parent}: "
        missing = isinstance(error, FileNotFoundError)
        reason = "no such directory" if missing else explain(error)
        raise CorelaxError(f"{name}: {where}{reason}") from None
    try:
        with io.BufferedWriter(_Output(handle, name)) as raw:
            yield raw
            raw.flush()
            if not HAS_LOCKS:
                raw.close()  # some systems do not rename an open file
            if not in_place:
                temporary.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
                temporary.replace(target)
    except BaseException:
        if not in_place:
            temporary.unlink(missing_ok=True)
        raise
    finally:
        unfinished.discard(temporary)


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a binary file: whole and on the disk, or not at all."""
    try:
        with replaced(os.fspath(path)) as raw:
            raw.write(content)
            raw.flush()
            os.fsync(raw.fileno())
    except OSError as error:
        raise CorelaxError(f"{path}: {explain(error)}; nothing was changed") from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a text file: whole and on the disk, or not at all."""
    write_bytes(path, text.encode())


def _umask() -> int:
    """The process's umask (which can only be read by setting it)."""
    current = os.umask(0)
    os.umask(current)
    return current


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file as they are; an error in one line if it cannot be read.

    >>> read_bytes("nowhere.json")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: nowhere.json: no such file
    """
    name = os.fspath(path)
    try:
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise CorelaxError(f"{name}: must be a regular file")
        return Path(path).read_bytes()
    except OSError as error:
        raise CorelaxError(f"{name}: {explain(error)}") from None
    except MemoryError:
        raise CorelaxError(f"{name}: {TOO_LARGE}") from None


def parse_json(text: str | bytes) -> Any:
    """What JSON says; a ValueError if it is not JSON, or nested deeper than any file of ours."""
    import json

    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None


def read_json(path: str | os.PathLike[str]) -> Any:
    """The contents of a JSON file; an error in one line if it is none.

    >>> read_json("LICENSE")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: LICENSE: not a JSON file (Expecting value: ...
    """
    try:
        return parse_json(read_bytes(path))
    except ValueError as error:
        raise CorelaxError(f"{os.fspath(path)}: not a JSON file ({error})") from None


def file_digest(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    import hashlib  # loads OpenSSL

    with check_file(path).open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def check_file(path: str | os.PathLike[str]) -> Path:
    """A file that can be read twice: to hash it, and to read it."""
    name, path = os.fspath(path), Path(path)
    if path.exists() and not path.is_file():
        raise CorelaxError(f"{name}: is read twice and must be a regular file")
    try:
        path.open("rb").close()
    except OSError as error:
        raise CorelaxError(f"{name}: {explain(error)}") from None
    return path


def check_not_input(
    target: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str] | None]
) -> None:
    """An error if a command would write over one of its inputs, whatever the names and links to it are.

    The target is a file, or a folder with all that is in it. Inputs that are None or no files are skipped.

    >>> check_not_input("./README.md", ["README.md"])
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: README.md: is an input, and ./README.md would write over it; ...
    """
    output = os.fspath(target)
    for name in (os.fspath(each) for each in inputs if each is not None):
        if output != STANDARD and _is_in(name, output):
            raise CorelaxError(
                f"{shown(name)}: is an input, and {output} would write over it; name another place to write"
            )


def _is_in(name: str, output: str) -> bool:
    """Whether a file is the output, or lies in that folder."""
    try:
        if name == STANDARD:
            is_same = os.path.samestat(os.fstat(sys.stdin.fileno()), Path(output).stat())
            return is_same and Path(output).is_file()
        if Path(output).is_dir():
            return Path(output).resolve() in Path(name).resolve().parents
        return Path(name).samefile(output)
    except (OSError, AttributeError, ValueError):  # no such file; standard input is none
        return False
