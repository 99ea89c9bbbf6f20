"""Who may be whom: what the words of mentions and their speakers claim."""

import pytest

from corelax.document import Document
from corelax.english.claims import claims_of


def spans_of(text):
    """Mentions in brackets: the document without them, and the spans."""
    words, spans, opened = [], [], []
    for token in text.split():
        if token == "[":
            opened.append(len(words))
        elif token == "]":
            spans.append((opened.pop(), len(words)))
        else:
            words.append(token)
    return words, spans


def clash(text, speakers=None):
    words, spans = spans_of(text)
    layers = {} if speakers is None else {"speaker": tuple(speakers)}
    claims = claims_of(Document(id="d", words=tuple(words), layers=layers), spans)
    return claims.clash(range(len(spans)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[ He ] saw [ her ]", True),
        ("[ He ] saw [ himself ] and [ his ] dog", False),
        ("[ Mrs. Dalloway ] knew [ him ]", True),
        ("[ Mr. Li ] knew [ himself ]", False),
        ("[ King George III ] and [ the queen ]", True),
        ("[ her old father 's ] house was [ hers ]", True),
        ("[ Mr. and Mrs. Li ] and [ her ]", False),  # two people
        ("[ the king 's daughter ] and [ she ]", False),  # not the king
        ("[ the man of the house ] and [ she ]", False),  # it is not looked into
        ("[ Mr. Woodhouse ] met [ Mr. Knightley ]", True),
        ("[ Mr. George Knightley ] or [ Mr. Knightley ] or [ Knightley ]", False),
        ("[ Miss Jane ] is [ Miss Bennet ]", False),  # given name and surname
        ("[ Dr. Li ] told [ her ] and [ him ]", True),
        ("[ Dr. Li ] told [ her ]", False),
        ("[ she ] and [ they ] and [ it ]", False),
        ("[ Alice ] gave [ him ] the keys", True),
        ("[ Alice 's ] keys were [ hers ]", False),
        ("[ Alice Munro ] met [ Peter ]", True),
        ("[ Alice ] or [ Alice Munro ] or [ Munro ] or [ she ]", False),
        ("[ Kim ] saw [ him ] and [ Robin ] saw [ him ]", False),  # of either gender
        ("[ Henry Rose ] was [ Rose ] , and [ he ]", False),  # here a surname
        ("[ Rose ] saw [ him ]", True),
        ("[ Evelyn Waugh ] was [ he ]", False),  # of either gender in older texts
        ("[ Nelson ] saw [ her ]", False),  # often a surname
        ("[ Nelson Mandela ] saw [ her ]", True),
        ("[ Mrs. James ] was [ she ]", False),
        ("[ Henry Ford ] had [ George ]", True),
        ("[ Prince Henry ] met [ Prince George ]", True),
        ("[ Dr. Howard Archie ] is [ Dr. Archie ]", False),
        ("[ Henry ] or [ Henry Ford ] or [ Mr. Henry Ford ] or [ Mr. Ford ]", False),
        ("[ Elizabeth ] or [ Beth ] or [ Liz ]", False),
        ("[ William Gates ] is [ Bill ]", False),
        ("[ Kim Rose ] and [ Rose ] and [ Alice ]", False),  # here a surname
        ("[ Miss Julia ] or [ Julia ] saw [ him ]", True),  # still a given name
        ("[ Anna Nelson ] and [ Nelson ] and [ she ]", False),
        ("[ the alice ] was [ his ]", False),  # no name
        ("[ Lady King ] met [ her ]", False),  # of either gender
        ("[ the very very old daughter ] saw [ him ]", True),
        ("[ the very very very old daughter ] saw [ him ]", False),  # too long to look at
        ("[ Alice and Peter ] saw [ him ]", False),
    ],
)
def test_people_who_cannot_be_the_same(text, expected):
    assert clash(text) == expected


@pytest.mark.parametrize(
    ("text", "speakers", "expected"),
    [
        ("[ I ] am . [ I ] am .", "AAABBB", True),
        ("[ I ] am . [ My ] dog .", "AAAAAA", False),
        ("[ I ] like [ you ] .", "AAAA", True),
        ("[ I ] am . [ You ] are .", "AAABBB", False),
        ("[ You ] are . [ You ] are .", "AAABBB", True),  # of two people, each is the other
        ("[ You ] are . [ You ] are . So", "AAABBBC", False),
        ("[ I ] am . [ you ] are .", [None] * 6, False),
        ("[ I ] am . [ you ] are .", "------", False),  # nobody is written "-"
        ("[ we ] are . [ we ] are .", "AAABBB", False),
        ("[ Ann ] : [ I ] came", ["-", "-", "Ann Lee", "Ann Lee"], False),
    ],
)
def test_speakers_are_told_apart(text, speakers, expected):
    assert clash(text, speakers) == expected


def test_the_name_of_a_speaker_is_that_speaker():
    speakers = ["-", "-", "Ann Lee", "Ann Lee", "-", "-", "Dr. Bo Lee", "Dr. Bo Lee"]
    assert clash("Ann : [ I ] came [ Bo ] : Me too", speakers)
    assert clash("[ Ann Lee ] I came Bo : [ Me ] too", speakers)
    assert not clash("Ann : I came [ Bo ] : [ I ] did", speakers)
    assert not clash("[ Lee ] : [ I ] came Bo : Me too", speakers)  # the surname of both


def test_words_in_a_list_claim_the_same():
    words, spans = ["Mr.", "Li", "saw", "her"], [(0, 2), (3, 4)]
    listed = claims_of(Document(id="d", words=words), spans)
    assert listed == claims_of(Document(id="d", words=tuple(words)), spans)
    assert listed.clash([0, 1])
