"""A study on every fold of a corpus: each fold is a study in a folder of its own.

    OUT/study.json           how many folds, settings
    OUT/data/fold1/          its training, dev and test documents
    OUT/fold1/               its study: runs, results, study.json

Learning rates, β and T are chosen in each fold, on its dev documents. `Results` pools the folds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from corelax.core.errors import CorelaxError
from corelax.core.files import read_json
from corelax.core.locks import check_claim
from corelax.study.files import Files
from corelax.study.folder import DATA, RESULTS, STUDY, claim_folder
from corelax.study.folds import fold_files, fold_name
from corelax.study.merging import results_folder
from corelax.study.plan import BASELINE
from corelax.study.reproduction import Reproduction
from corelax.study.runner import Progress


class FoldProgress(Progress):
    """Progress of one fold: names of jobs say which fold they are of."""

    def __init__(self, fold: int, outer: Progress) -> None:
        self._fold, self._outer = fold, outer

    def update(self, done: int, wanted: int, running: Sequence[str]) -> None:
        """Passes on what was reported."""
        self._outer.update(done, wanted, [f"fold {self._fold}: {name}" for name in running])


class CrossValidation:
    """A study on several folds.

    Args:
        out: The folder of all folds.
        number: How many folds the corpus is dealt into.
        folds: The studies of folds that are run here, or have results here, by their numbers.
        here: The folds that are run here.
        note: Called with a line for each event that a user should know of.
    """

    def __init__(
        self,
        out: Path,
        number: int,
        folds: Mapping[int, Reproduction],
        here: Collection[int],
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.out, self.number, self.folds = out, number, folds
        self._here, self._note = here, note
        self.done: list[Reproduction] = []  # the folds that can be reported

    def prepare(self) -> None:
        """An error if OUT holds another study. Documents are looked at when their fold is run."""
        claim_folder(self.out, self._identity)

    def merge(self, source: Path) -> int:
        """Copies the results of another folder, those of all its folds or none; the number of files."""
        numbers = merged_folds(source, self.number)
        if (source / STUDY).exists():
            check_claim(source, _said(source / STUDY), self._identity, "a study")
        for number in numbers:
            self.folds[number].prepare()
            self.folds[number].check_merge(source / fold_name(number))
        return sum(self.folds[number].merge(source / fold_name(number)) for number in numbers)

    def run(self) -> bool:
        """Runs one fold after the other; returns whether all folds that are run here are done."""
        is_done = True
        for number, fold in self.folds.items():
            if number not in self._here and not (fold.runner.out / RESULTS).is_dir():
                continue
            if number in self._here:
                self._note(f"fold {number} of {self.number}")
            fold_done = fold.run()
            is_done = is_done and (fold_done or number not in self._here)
            if fold_done or _can_be_pooled(fold):
                self.done.append(fold)
        return is_done

    @property
    def failed(self) -> dict[tuple[int, str], BaseException]:
        """The error of each run that failed, by seed and stage (with its fold)."""
        return {
            (seed, f"fold {number}: {stage}"): error
            for number, fold in self.folds.items()
            for (seed, stage), error in fold.runner.failed.items()
        }

    @property
    def _identity(self) -> dict[str, object]:
        one = next(iter(self.folds.values()))
        return {"folds": self.number, **one.identity}


def cross_validation(
    out: Path,
    documents: Sequence[str],
    folds: int,
    only: Collection[int],
    merge: Sequence[str | Path],
    *,
    make_study: Callable[[int, Files], Reproduction],
    format: str | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> CrossValidation:
    """Writes the documents of the folds that are run here, or have results here or in what is merged.

    Args:
        out: The folder of all folds.
        documents: Files with all documents.
        folds: How many folds.
        only: The folds that are run here, if not all.
        merge: Folders of other studies that are to be merged.
        make_study: Makes the study of a fold from its number and files.
        format: The format of the files; else by suffix or content.
        note: Called with a line for each event that a user should know of.
    """
    here = set(only) or set(range(1, folds + 1))
    known = {number for folder in merge for number in merged_folds(Path(folder), folds)}
    known |= {n for n in range(1, folds + 1) if (out / fold_name(n) / RESULTS).is_dir()}
    if (out / STUDY).exists():  # before anything is written
        check_claim(out, _said(out / STUDY), {"folds": folds}, "a study")
    files = fold_files(out / DATA, documents, folds, here | known, format)
    studies = {number: make_study(number, of_fold) for number, of_fold in files.items()}
    return CrossValidation(out, folds, studies, here, note)


def _can_be_pooled(fold: Reproduction) -> bool:
    """Whether a fold in which runs failed has what others are compared with; its failed rows are left out."""
    runner = fold.runner
    return bool(runner.failed) and not runner.out_of_time and fold.dev_score(BASELINE) is not None


def _said(path: Path) -> dict[str, object]:
    """What a folder says that it is for."""
    present = read_json(path)
    return present if isinstance(present, dict) else {}


def merged_folds(source: Path, number: int) -> list[int]:
    """The folds that another study has results of; an error if it has none, or more than there are.

    Args:
        source: The folder of the other study, or a copy of its folds.
        number: How many folds there are.
    """
    if (source / RESULTS).is_dir():
        raise CorelaxError(f"{source}: is a study without folds; merge it without --folds")
    folders = source.glob(f"{fold_name(0)[:-1]}*/{RESULTS}") if source.is_dir() else ()
    names = {folder.parent.name for folder in folders}
    known = {fold_name(n): n for n in range(1, number + 1)}
    if not names:
        results_folder(source)  # which says what is wrong
    if unknown := sorted(names - set(known)):
        raise CorelaxError(f"{source}: has {unknown[0]}, but there are {number} folds; see --folds")
    return sorted(known[name] for name in names)


def check_folds(numbers: Collection[int], folds: int | None) -> None:
    """An error if folds are asked for that do not exist.

    >>> check_folds([3], 2)
    Traceback (most recent call last):
        ...
    corelax.core.errors.CorelaxError: --only-fold 3: the folds are 1 to 2; see --folds
    """
    if numbers and folds is None:
        raise CorelaxError("--only-fold needs --folds K")
    for number in numbers:
        if folds is not None and not 1 <= number <= folds:
            raise CorelaxError(f"--only-fold {number}: the folds are 1 to {folds}; see --folds")
