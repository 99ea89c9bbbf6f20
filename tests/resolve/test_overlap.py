"""Texts resolved with helper processes: the same results and errors as without, in the same order."""

import os
import signal
import subprocess
import sys
import time

import pytest

from corelax.core.errors import CorelaxError
from corelax.core.workers import WorkerEnded
from corelax.document import Document
from corelax.resolve import Resolver
from corelax.resolve.batching import up_to
from corelax.resolve.overlap import usual_workers
from corelax.text import document_of
from tests.core.test_helpers import is_running
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_model, write_encoder

pytestmark = pytest.mark.usefixtures("one_thread")
TEXT = " ".join(STORY).replace(" .", ".").replace(" 's", "'s")
DIALOGUE = "I saw the dog. You saw it?"
TEXTS = [
    TEXT,
    "",
    " \n\t ",
    "😀 Ann 👩‍👩‍👧 saw 🇩🇪 it.",
    "<p><b>Ann</b> saw <i>her</i></p>",
    (DIALOGUE, [(0, 14, "Ann"), (15, 26, "Bo")]),
    "z" * 3000,
    "\ud800 lone",
    a_document(STORY),
    Document(id="none", words=()),
    document_of(TEXT * 3),
    a_document(["I", "saw", "you", "."], ["Ann"] * 2 + [None] * 2),
    TEXT * 20,
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def resolver(folder):
    return Resolver(tiny_model(folder, seed=3))


@pytest.mark.parametrize(
    ("workers", "batch_size", "options"),
    [
        (1, 5, {}),
        (2, 2, {"singletons": "keep"}),
        (3, 64, {"consistent": False, "singletons": "keep"}),
    ],
)
def test_helpers_change_nothing_about_results_and_their_order(
    resolver, workers, batch_size, options
):
    alone = list(resolver.pipe(TEXTS, batch_size=batch_size, workers=0, **options))
    helped = list(resolver.pipe(TEXTS, batch_size=batch_size, workers=workers, **options))
    assert [result.as_dict() for result in helped] == [result.as_dict() for result in alone]
    assert helped == alone
    assert any(len(result) for result in helped)


def failing():
    yield from TEXTS[:3]
    raise KeyError("no more texts")


@pytest.mark.parametrize(
    "texts",
    [
        [*TEXTS[:3], 7, *TEXTS],
        [*TEXTS[:3], b"bytes"],
        [*TEXTS[:3], (TEXT, [(0, 9999, "Ann")])],
        [*TEXTS[:3], (TEXT, [(0, 5, "Ann"), (3, 9, "Bo")]), *TEXTS],
        [*TEXTS[:3], (TEXT, lambda: None)],
        [*TEXTS[:3], a_document(["hi"], [lambda: None])],
        failing,
    ],
)
def test_errors_come_after_the_texts_before_them_as_without_helpers(resolver, texts):
    told = []
    for workers in (0, 2):
        results = []
        given = texts() if callable(texts) else texts
        resolved = resolver.pipe(given, batch_size=2, workers=workers)
        with pytest.raises((CorelaxError, KeyError)) as error:
            results.extend(resolved)
        told.append((len(results), type(error.value), str(error.value)))
    assert told[0] == told[1]
    assert told[0][0] == 3


@pytest.mark.parametrize("workers", [0, 2])
def test_errors_name_the_text_that_is_wrong(resolver, workers):
    for wrong, what in [
        (7, "a text is a str, not int"),
        ([TEXT], "a text is a str, not list"),
        ((TEXT, [], 1), "a pair is a text and its speakers, not 3 values"),
        ((a_document(["hi"]), []), "speakers of a document are its layer"),
        ((TEXT, [(0, 5, "Ann"), (3, 9, "Bo")]), "ranges must not overlap"),
    ]:
        with pytest.raises(CorelaxError, match=rf"^texts\[3\]: .*{what}"):
            list(resolver.pipe([*TEXTS[:3], wrong, TEXT], batch_size=2, workers=workers))


def test_a_wrong_scheme_and_wrong_numbers_of_workers_are_errors(resolver):
    with pytest.raises(CorelaxError, match="scheme must be"):
        list(resolver.pipe([TEXT], scheme="nobody's", workers=1))
    for workers in (-1, 1.5, "two"):
        with pytest.raises(CorelaxError, match="workers must be a whole number"):
            list(resolver.pipe([TEXT], workers=workers))


def test_an_error_of_the_network_comes_after_what_it_has_done(resolver):
    model = resolver.model
    batches = iter([True, False])

    class Failing:
        def __getattr__(self, name):
            return getattr(model, name)

        def score(self, items):
            if not next(batches):
                raise CorelaxError("out of memory")
            return model.score(items)

    results = Resolver(Failing()).pipe([TEXT] * 4, batch_size=2, workers=1)
    assert [len(next(results).text) for _ in range(2)] == [len(TEXT)] * 2
    with pytest.raises(CorelaxError, match="out of memory"):
        next(results)


class Unreadable(str):
    """A name that no helper can be sent."""

    def __reduce__(self):
        raise CorelaxError("cannot be sent")


def test_texts_before_one_that_cannot_be_sent_are_resolved(resolver):
    wrong = Document.from_sentences("d", [["Ann", Unreadable("left")]])
    results = []
    with pytest.raises(CorelaxError, match="cannot be sent"):
        results.extend(resolver.pipe([TEXT] * 4 + [wrong], batch_size=2, workers=2))
    assert len(results) == 4


def test_no_process_is_started_for_no_text(resolver, monkeypatch):
    monkeypatch.setattr("corelax.resolve.overlap.Helpers", None)
    assert list(resolver.pipe([], workers=4)) == []


def test_helpers_end_with_the_iterator(resolver, monkeypatch):
    from corelax.resolve import overlap

    started = []

    class Watched(overlap.Helpers):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            started.extend(process.pid for process in self._processes)

    monkeypatch.setattr(overlap, "Helpers", Watched)
    results = resolver.pipe([TEXT] * 50, batch_size=2, workers=2)
    next(results)
    assert len(started) == 2
    results.close()
    assert not any(map(is_running, started))


def test_a_cpu_has_no_helpers_unless_they_are_asked_for(resolver, monkeypatch):
    assert usual_workers(resolver.model) == 0
    monkeypatch.setattr("corelax.resolve.overlap.available_threads", lambda: 16)

    class OnGpu:
        runtime = "torch on cuda:0"

    assert usual_workers(OnGpu()) == 8
    monkeypatch.setattr("corelax.resolve.overlap.available_threads", lambda: 2)
    assert usual_workers(OnGpu()) == 0


def test_a_little_text_is_resolved_before_helpers_are_started(resolver, monkeypatch):
    monkeypatch.setattr("corelax.resolve.resolver.usual_workers", lambda _: 1)
    monkeypatch.setattr("corelax.resolve.resolver.LITTLE_TEXT", 2 * len(TEXT))
    helped = []

    def helpers(_model, texts, _options, **_):
        helped.extend(texts)
        return iter(())

    monkeypatch.setattr("corelax.resolve.resolver.resolve_with_helpers", helpers)
    assert len(list(resolver.pipe([TEXT] * 5))) == 2
    assert helped == [(TEXT, None)] * 3


def test_the_length_of_documents_and_dialogues_counts():
    texts = [(a_document(["four"] * 2), None), ("eight ch", []), ("rest", None)]
    rest = iter(texts)
    assert list(up_to(rest, 16)) == texts[:2]
    assert list(rest) == texts[2:]


# Without `if __name__ == "__main__"`, as many scripts are.
SCRIPT = """
import os, sys, time
from corelax.core import helpers
from corelax.resolve import Resolver

started = helpers._started
def noted():
    process = started()
    print(process.pid, flush=True)
    return process
helpers._started = noted

def texts():
    while True:
        yield "Ann said that she saw the dog. It saw her."
        time.sleep(float(sys.argv[2]))

resolver = Resolver.from_pretrained(device="cpu", threads=1)
if sys.argv[1] == "fork" and os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
for number, result in enumerate(resolver.pipe(texts(), batch_size=2, workers=1)):
    if sys.argv[1] in ("end", "fork") and number == 5:
        break
    if number == 5:
        print("resolved", len(result), flush=True)
"""


def started_script(how, pause=0.01):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, how, str(pause)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )


def has_ended(process):
    for _ in range(100):
        if not is_running(process):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.parametrize("how", ["end", "fork"])
def test_a_plain_script_and_a_fork_can_have_helpers(how):
    script = started_script(how)
    output, errors = script.communicate(timeout=100)
    assert (script.returncode, errors) == (0, "")
    assert has_ended(int(output.split()[0]))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals are others here")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_helpers_end_with_their_parent_however_it_ends(sent):
    script = started_script("go on")
    helper = int(script.stdout.readline())
    assert script.stdout.readline() == "resolved 2\n"
    os.killpg(script.pid, sent) if sent == signal.SIGINT else script.send_signal(sent)
    _, errors = script.communicate(timeout=30)
    assert script.returncode != 0
    assert has_ended(helper)
    # One traceback, that of the parent.
    assert errors.count("Traceback") == (1 if sent == signal.SIGINT else 0), errors


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal here")
def test_a_helper_that_is_killed_is_an_error_and_no_endless_wait(resolver, monkeypatch):
    from corelax.resolve import overlap

    class Killed(overlap.Helpers):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            os.kill(self._processes[0].pid, signal.SIGKILL)

    monkeypatch.setattr(overlap, "Helpers", Killed)
    with pytest.raises(WorkerEnded, match="use fewer workers"):
        list(resolver.pipe([TEXT] * 8, batch_size=2, workers=2))
