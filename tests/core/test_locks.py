from __future__ import annotations

import os
from pathlib import Path

import pytest

from corelax.core.errors import CorelaxError
from corelax.core.files import replaced, write_text
from corelax.core.locks import lock_folder, remove_leftovers, remove_stale_lock


def test_a_lock_leaves_nothing_behind(tmp_path: Path) -> None:
    with lock_folder(tmp_path / "out"):
        pass
    assert list((tmp_path / "out").iterdir()) == []


def test_what_a_killed_process_left_of_a_lock_locks_nothing(tmp_path: Path) -> None:
    (tmp_path / ".lock").touch()
    with (
        lock_folder(tmp_path),
        pytest.raises(CorelaxError, match="another command"),
        lock_folder(tmp_path),
    ):
        pass


def test_the_next_program_that_writes_removes_the_remains_of_a_killed_one(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:
        with replaced(str(tmp_path / "a")) as file:
            file.write(b"half")
            file.flush()
            os._exit(9)  # as if killed
    os.waitpid(child, 0)
    assert len(list(tmp_path.iterdir())) == 1
    write_text(tmp_path / "b", "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_a_file_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    with replaced(str(tmp_path / "a")) as file:
        file.write(b"first")
        write_text(tmp_path / "b", "second")
        remove_leftovers(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"first"


def test_files_of_other_names_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".corelax-notes").touch()
    write_text(tmp_path / "a", "")
    assert (tmp_path / ".corelax-notes").exists()


def test_a_lock_that_is_held_is_not_stale(tmp_path: Path) -> None:
    with lock_folder(tmp_path):
        remove_stale_lock(tmp_path)
        assert (tmp_path / ".lock").exists()
    (tmp_path / ".lock").touch()
    remove_stale_lock(tmp_path)
    assert not (tmp_path / ".lock").exists()
