from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from corelax.core.errors import CorelaxError
from corelax.core.files import check_not_input, file_digest, open_for_writing, read_bytes


def test_the_digest_of_a_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"\x00Ann\xff")
    assert file_digest(path) == file_digest(str(path)) == sha256(b"\x00Ann\xff").hexdigest()
    assert read_bytes(path) == b"\x00Ann\xff"


@pytest.mark.parametrize("reader", [read_bytes, file_digest])
def test_a_missing_file_is_named_in_one_line(reader, tmp_path: Path) -> None:
    with pytest.raises(CorelaxError, match=r"gone\.json: no such file$"):
        reader(tmp_path / "gone.json")


@pytest.mark.parametrize("reader", [read_bytes, file_digest])
def test_a_folder_is_not_a_file(reader, tmp_path: Path) -> None:
    with pytest.raises(CorelaxError, match=r"directory|regular file"):
        reader(tmp_path)


def test_standard_input_is_no_file_of_its_own(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("")
    Path("a").write_text("")
    Path("link").symlink_to("a")
    check_not_input("-", ["-", "a"])
    with pytest.raises(CorelaxError, match="link: is an input, and a would write over it"):
        check_not_input("a", ["link"])


def test_a_packed_file_has_the_same_bytes_every_time(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with open_for_writing(tmp_path / name) as text:
            text.write("Ann left.\n")
    content = (tmp_path / "a.gz").read_bytes()
    assert content == (tmp_path / "b.gz").read_bytes()
    assert content[4:8] == bytes(4)  # no time
