"""The text in a file's bytes, and what the file is if it is no text."""

from __future__ import annotations

import shlex
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.core.files import STANDARD, shown

UTF8 = "utf-8"
_PDF = b"%PDF-"
_OLD_WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = b"PK\x03\x04"


def decoded(raw: bytes, path: str, encoding: str = UTF8) -> str:
    """The text of a file, without a byte order mark; an error says what to do if it is none.

    Args:
        raw: The file's bytes.
        path: Its name, for errors.
        encoding: A name that Python knows, such as "cp1252".

    >>> decoded(b"caf\\xe9", "a.txt", "latin-1")
    'café'
    >>> decoded(b"caf\\xe9", "a.txt")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: a.txt: not UTF-8 text: byte 0xe9 at offset 3; name its encoding, ...
    """
    check_encoding(encoding)
    if (other := _other_kind(raw, path)) is not None:
        raise CorelaxError(f"{shown(path)}: {other}")
    is_utf8 = encoding.lower().replace("_", "-") in ("utf-8", "utf8")
    if is_utf8 and raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise CorelaxError(f"{shown(path)}: this is UTF-16; use --encoding utf-16")
    if is_utf8 and (place := raw.find(b"\0")) >= 0:
        raise CorelaxError(
            f"{shown(path)}: byte 0 at offset {place:,}: this is no text file; give UTF-8 text"
        )
    try:
        text = raw.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        hint = "name its encoding, such as" if is_utf8 else "give another"
        example = " cp1252" if is_utf8 else ""
        raise CorelaxError(
            f"{shown(path)}: not {encoding.upper()} text: byte 0x{raw[error.start]:02x} at offset "
            f"{error.start:,}; {hint} --encoding{example}"
        ) from None
    except UnicodeError as error:  # of UTF-16 without a mark, say
        raise CorelaxError(f"{shown(path)}: not {encoding.upper()} text: {error}") from None
    if "\0" in text:
        raise CorelaxError(
            f"{shown(path)}: character 0 at offset {text.index(chr(0)):,}: this is no text in "
            f"{encoding}; give another --encoding"
        )
    return text


def check_encoding(encoding: str) -> None:
    """An error if Python has no such encoding of texts.

    >>> check_encoding("utf9")
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: 'utf9' is no encoding; use utf-8, cp1252, latin-1, utf-16 or the like
    """
    try:
        "a".encode(encoding)
    except (LookupError, ValueError):  # a name with a byte 0 is a ValueError
        raise CorelaxError(
            f"{encoding!r} is no encoding; use utf-8, cp1252, latin-1, utf-16 or the like"
        ) from None


def _other_kind(raw: bytes, path: str) -> str | None:
    """What a file is that must be converted first, with the command for it; None if it may be text."""
    if raw.startswith(_PDF):
        return f"this is a PDF; convert it: pdftotext {_in_and_out(path)}"
    if raw.startswith(_OLD_WORD):
        return "this is a Word file of before 2007; save it as text in Word or LibreOffice"
    if raw.startswith(b"{\\rtf"):
        kind, reader = "an RTF file", "rtf"
    elif not raw.startswith(_ZIP):
        return None
    elif b"mimetypeapplication/vnd.oasis.opendocument.text" in raw[:200]:
        kind, reader = "an OpenDocument text (odt)", "odt"
    elif b"mimetypeapplication/epub+zip" in raw[:200]:
        kind, reader = "an EPUB book", "epub"
    elif b"word/document.xml" in raw:
        kind, reader = "a Word file (docx)", "docx"
    else:
        return "this is a zip archive; unpack it"
    return f"this is {kind}; convert it: pandoc -f {reader} -t plain {_in_and_out(path, '-o ')}"


def _in_and_out(path: str, before_out: str = "") -> str:
    """The arguments that convert a file into a text beside it."""
    if path == STANDARD:
        return "FILE " + before_out + "FILE.txt"
    text = str(Path(path).with_suffix(".txt"))
    if text == path:
        text += ".txt"
    return f"{shlex.quote(path)} {before_out}{shlex.quote(text)}"
