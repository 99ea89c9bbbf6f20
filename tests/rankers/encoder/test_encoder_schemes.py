"""A trained ranker that learns another annotation scheme."""

import pytest
import torch

from corelax.core.errors import CorelaxError
from corelax.rankers.encoder.schemes import with_schemes, with_settings
from tests.rankers.encoder.encoder_models import STORY, a_document, tiny_model, write_encoder

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_model(write_encoder(tmp_path_factory.mktemp("encoder")))


@torch.no_grad()
def scores(model, scheme):
    number = model.ranker.settings.schemes.index(scheme)
    return model.ranker([model.windows(a_document(STORY))], [number]).candidates.scores


def test_a_new_scheme_begins_as_the_first_and_the_others_stay(model):
    more = with_settings(model, with_schemes(model.ranker.settings, ("mine", "two")))
    assert more.ranker.settings.schemes == ("mine", "one", "two")
    for new, old in (("mine", "one"), ("one", "one"), ("two", "two")):
        torch.testing.assert_close(scores(more, new), scores(model, old))
    assert not scores(more, "mine").equal(scores(more, "two"))


def test_its_sizes_cannot_be_changed(model, tmp_path):
    other = tiny_model(write_encoder(tmp_path), span_size=20)
    with pytest.raises(CorelaxError, match="sizes of a trained ranker"):
        with_settings(model, other.ranker.settings)
