"""Batches scored in steps, as on a GPU: the same results and errors, one batch later."""

import pytest
import torch
from torch import nn

from corelax.core.errors import CorelaxError
from corelax.rankers.encoder.batches import Scoring, store_as_computed
from corelax.resolve import Resolver
from corelax.resolve.turns import scored_by_turns
from tests.gpu import needs_gpu
from tests.rankers.encoder.encoder_models import tiny_model, write_encoder
from tests.resolve.test_overlap import TEXT, TEXTS

pytestmark = pytest.mark.usefixtures("one_thread")


class Stepwise:
    """A model on a CPU that is asked for scores as one on a GPU is."""

    def __init__(self, model):
        self._model = model

    def __getattr__(self, name):
        return getattr(self._model, name)

    def begin(self, items):
        return Scoring(self._model.ranker, items)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_model(write_encoder(tmp_path_factory.mktemp("encoder")), seed=3)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("batch_size", [1, 3, 64])
def test_steps_change_nothing_about_results_and_their_order(model, workers, batch_size):
    plain = list(Resolver(model).pipe(TEXTS, batch_size=batch_size, workers=0))
    stepwise = Resolver(Stepwise(model)).pipe(TEXTS, batch_size=batch_size, workers=workers)
    assert list(stepwise) == plain
    assert any(len(result) for result in plain)


@pytest.mark.parametrize("workers", [0, 2])
def test_errors_come_after_the_texts_before_them(model, workers):
    texts = [TEXT, TEXT, TEXT, b"", TEXT]
    resolved = Resolver(Stepwise(model)).pipe(texts, batch_size=2, workers=workers)
    results = []
    with pytest.raises(CorelaxError, match="a text is a str"):
        results.extend(resolved)
    assert len(results) == 3


class Told:
    """Steps that tell when they are taken."""

    def __init__(self, events, items):
        self._events, self._items = events, items
        events.append(("begin", *items))

    def link(self):
        self._events.append(("link", *self._items))

    def results(self):
        self._events.append(("results", *self._items))
        return self._items


def test_a_batch_is_waited_for_once_the_next_has_begun():
    events = []

    class Model:
        def begin(self, items):
            return Told(events, items)

    batches = ((name, [name]) for name in "abc")
    assert list(scored_by_turns(Model(), batches)) == [(name, [name]) for name in "abc"]
    assert events == [
        ("begin", "a"),
        ("link", "a"),
        ("begin", "b"),
        ("results", "a"),
        ("link", "b"),
        ("begin", "c"),
        ("results", "b"),
        ("link", "c"),
        ("results", "c"),
    ]


@pytest.mark.parametrize("step", ["begin", "link", "results"])
def test_a_step_that_fails_is_told_after_the_batches_before_it(step):
    class Failing(Told):
        def __getattribute__(self, name):
            if name == step and self._items == ["b"]:
                raise CorelaxError("out of memory")
            return super().__getattribute__(name)

    class Model:
        def begin(self, items):
            if step == "begin" and items == ["b"]:
                raise CorelaxError("out of memory")
            return Failing([], items)

    resolved = scored_by_turns(Model(), ((name, [name]) for name in "abc"))
    assert next(resolved) == ("a", ["a"])
    with pytest.raises(CorelaxError, match="out of memory"):
        next(resolved)


def test_weights_in_two_bytes_multiply_as_those_that_are_converted_each_time():
    torch.manual_seed(0)
    network = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 4), nn.Linear(4, 2, bias=False))
    numbers = torch.randn(5, 8)
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        before = network(numbers)
        store_as_computed(network)
        assert network(numbers).equal(before)
    kinds = [parameter.dtype for parameter in network.parameters()]
    assert kinds == [torch.float32] * 2 + [torch.bfloat16] * 3


@needs_gpu
def test_a_gpu_says_the_same_by_turns_as_batch_by_batch(tmp_path):
    model = tiny_model(write_encoder(tmp_path), seed=3)
    model.ranker.cuda()

    class AtOnce(Stepwise):
        def begin(self, _):
            return None

    by_turns = list(Resolver(model).pipe(TEXTS, batch_size=3, workers=0))
    assert by_turns == list(Resolver(AtOnce(model)).pipe(TEXTS, batch_size=3, workers=0))
    assert any(len(result) for result in by_turns)
