"""Pronouns that are linked right, and people who are mixed up, in conversations worked by hand."""

from corelax.analysis.pronouns import PeopleCounts, PronounCounts, people_counts, pronoun_counts
from corelax.decode import Decision
from corelax.document import Document, Span
from corelax.resolve.resolution import resolution_of

#            0    1      2    3      4      5    6      7     8      9
WORDS = [["I", "saw", "you"], ["You", "saw", "my", "dog"], ["I", "know", "him"]]
SPEAKERS = ["Ann"] * 3 + ["Bo"] * 4 + ["Ann"] * 3


def conversation(clusters):
    return Document.from_sentences("d", WORDS, clusters=clusters, layers={"speaker": SPEAKERS})


GOLD = conversation([[(0, 1), (3, 4), (7, 8)], [(2, 3), (5, 6)], [(5, 7), (9, 10)]])


def resolved(links):
    """The conversation with one-word mentions, each with the word of its antecedent or None."""
    place = {word: at for at, word in enumerate(links)}
    decisions, entity = [], {}
    for word, antecedent in links.items():
        entity[word] = word if antecedent is None else entity[antecedent]
        where = None if antecedent is None else place[antecedent]
        decisions.append(Decision(Span(word, word + 1), entity[word], where, 1.0, 1.0, 1.0))
    return resolution_of(GOLD, decisions)


def test_pronouns_that_are_linked_right_count():
    found = pronoun_counts(GOLD, resolved({0: None, 2: None, 3: 0, 5: 2, 7: 3}))
    # "I" [0] and "you" [2] come first in their entities; "him" has an antecedent that was not found.
    assert found == {
        "i": PronounCounts(2, 2, 2),  # my, I
        "you": PronounCounts(1, 1, 1),
        "he": PronounCounts(1, 0, 0),
        "she": PronounCounts(),
    }


def test_an_antecedent_further_back_counts_as_linked_but_not_as_direct():
    found = pronoun_counts(GOLD, resolved({0: None, 2: 0, 5: 2, 7: 5}))
    assert found["i"] == PronounCounts(2, 2, 1)  # my → you; I → my → you → I
    assert found["you"] == PronounCounts(1, 0, 0)  # not found


def test_a_later_mention_of_the_same_entity_does_not_help():
    found = pronoun_counts(GOLD, resolved({3: None, 7: 3}))
    assert found["you"] == PronounCounts(1, 0, 0)
    assert found["i"] == PronounCounts(2, 1, 1)


def test_entities_with_the_first_person_of_two_speakers_count():
    right = people_counts(GOLD)
    assert (right.entities, right.first_person, right.two_speakers) == (3, 2, 0)
    wrong = people_counts(conversation([[(0, 1), (5, 6), (7, 8)], [(2, 3)]]))
    assert (wrong.entities, wrong.first_person, wrong.two_speakers) == (1, 1, 1)


def test_without_speakers_nobody_is_mixed_up():
    doc = Document.from_sentences("d", WORDS, clusters=[[(0, 1), (5, 6)]])
    assert people_counts(doc) == PeopleCounts(entities=1)


def test_he_and_she_count_as_words_and_in_any_case():
    words = [["He", "saw", "her", "dog", "and", "his", "wife"]]
    mixed = Document.from_sentences("d", words, clusters=[[(0, 1), (2, 3)]])
    assert people_counts(mixed) == PeopleCounts(1, 1, 1, 0, 0)
    apart = Document.from_sentences("d", words, clusters=[[(0, 1), (5, 6)], [(2, 3), (5, 7)]])
    assert people_counts(apart) == PeopleCounts(2, 2, 0, 0, 0)  # "his wife" is no pronoun
