"""Raw text to documents."""

from __future__ import annotations

import gzip
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corelax.core.errors import CorelaxError
from corelax.document import Document
from corelax.text import document_of, read_documents
from corelax.text.sentences import sentence_starts
from tests.shared_corpora import DATA


def words(text: str) -> str:
    """The tokens with bars between, as the cases below are written."""
    return "|".join(document_of(text).words)


def sentences(text: str) -> list[str]:
    """Each sentence as it stands in the text."""
    doc = document_of(text)
    offsets = doc.layers["offsets"]
    return [text[offsets[start][0] : offsets[end - 1][1]] for start, end in doc.sentence_bounds]


def check_offsets(text: str, doc: Document) -> None:
    """Tokens are slices in order, and nothing that can be seen lies between them."""
    offsets = doc.layers["offsets"]
    assert [text[start:end] for start, end in offsets] == list(doc.words)
    edges = [0, *(edge for span in offsets for edge in span), len(text)]
    assert edges == sorted(edges)
    assert all(start < end for start, end in offsets)
    between = "".join(text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True))
    assert all(c.isspace() or unicodedata.category(c) in ("Cc", "Cf") for c in between)
    assert not any(c.isspace() for word in doc.words for c in word)


# What tokenisers stumble over: signs that join, cut, abbreviate or quote, and odd characters.
PIECES = """
    a A an Mr. U.S. e.g. can cannot n't 's ’re ' ’ " “ ” ( ) [ ] . .. ... … , : ; ! ? - -- — _ & # @ / 1 12
    1,000 3.5 http:// www. a@b.c .com non- o'clock :)
    <b> </p> <a href="x"> <br < > &amp; &#39; ``` ** ]( 中 文 か タ ー 。 ؟ ، é e\u0301 क् 👩 👍🏽 🇩 ❤️ 한
""".split()
ODD = " \n\r\t\0\x0b\x1f\x85\xa0\xad\u200b\u200d\u2028\u2029\ufe0f\ufeff\ud800\udc00"
tricky = st.lists(st.sampled_from([*PIECES, *ODD, " ", "\n\n", "\r\n"])).map("".join)


@given(st.text(st.characters()) | tricky)
def test_tokens_are_slices_and_only_blanks_lie_between(text: str) -> None:
    check_offsets(text, document_of(text))


@given(st.text() | tricky, st.data())
def test_the_law_holds_wherever_speakers_change(text: str, data: st.DataObject) -> None:
    edges = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    names = data.draw(st.lists(st.sampled_from("AB"), min_size=6, max_size=6))
    ranges = [(a, b, name) for (a, b), name in zip(pairwise(edges), names, strict=False)]
    ranges = ranges[:: data.draw(st.sampled_from([1, 2]))]
    doc = document_of(text, speakers=ranges)
    check_offsets(text, doc)
    for (start, end), speaker in zip(doc.layers["offsets"], doc.layers["speaker"], strict=True):
        around = [name for a, b, name in ranges if a < end and start < b]
        assert set(around) == ({speaker} - {None})
    for start, end in doc.sentence_bounds:
        assert len({*doc.layers["speaker"][start:end]}) == 1


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("A. [1]", (0,)),
        ("A. [1", (0, 2)),
        ("A. [", (0, 2)),
        ("A. [1] [2] B c", (0, 8)),
        ("No.\n[.][ 2 ]e", (0, 2, 6)),
        ("Hi! (", (0, 2)),
        ('"Hi!" Ann', (0, 4)),
        ("# One\r\nTwo", (0, 2)),
        ("Ann ran. Bo left.", (0, 3)),
        ("A. [ . ]", (0, 4)),
        ("Ann left\n\n\u200b", (0,)),
        ("Abc\nAnn efghij", (0, 1)),  # 3 + 1 + 3 characters, 0.7 of the widest line
        ("Abcd\nAnn efghij", (0,)),
    ],
)
def test_sentences_at_edges(text: str, starts: tuple[int, ...]) -> None:
    assert document_of(text).sentence_starts == starts


def test_a_word_may_reach_into_the_next_line() -> None:
    text, words = "Ann left\nnow\nbo ran", ["Ann", "left\nnow", "bo", "ran"]
    spans = [(0, 3), (4, 12), (13, 15), (16, 19)]
    assert sentence_starts(text, words, spans) == [0]


def test_every_character_of_unicode_is_kept_or_cannot_be_seen() -> None:
    text = "".join(map(chr, range(0x110000)))
    check_offsets(text, document_of(text))


@pytest.mark.parametrize("text", ["", " ", "\n\n\t \r\n", "\0", "\u200b\ufeff"])
def test_a_text_without_words_is_a_document_without_tokens(text: str) -> None:
    doc = document_of(text, id="empty")
    assert (doc.id, doc.words, doc.sentence_starts, doc.layers["offsets"]) == ("empty", (), (), ())


@pytest.mark.parametrize(
    "expected",
    [
        # Contractions and possessives, with both kinds of apostrophe.
        "do|n't", "it|'s", "they|’re", "ca|n’t", "DID|N'T", "I|'ve", "could|n't|'ve", "can|not", "Gon|na",
        "Ann|'s", "the dogs|'", "let|'s", "o'clock", "O'Brien|'s", "d'Alembert", "y'|all", "'90s", "canny",
        # Hyphens: most divide, prefixes do not.
        "well|-|known", "father|-|in|-|law", "co-founder", "Non-fiction", "non-U.S.", "e-mail",
        "U.S.|-|style", "th-", "a|--|b", "a|—|b", "5|–|6",
        # Abbreviations.
        "Mr. Li", "e.g.|,", "3 p.m.", "Ph.D.", "J. R. Smith", "No. 5", "et al.|,", "(|c. 1580|)", "etc.|)",
        # Numbers, units and money.
        "1,000.50", "3:30", "1/2", "$|5", "50|%", "[|13|,|14|]", "20th", "the 1980s|,", "5|km", "10|am", ".5",
        "555-1234|.", "1,000,000|.", "L2", "2010|-|2012",
        # Addresses.
        "http://a.org/b?c=d,e|.", "(|www.x.org|)|,", "me.too@x.co.uk|.", "example.com|,", "#tag",
        "@name", "doi:10.1/x",
        # Signs.
        "Wait|...", "Well|…|”", "What|?|!", "“|Yes|,|”", "‘|no|’", "\"|a '|b|'|\"", "(|a|)|.", "R&D",
        "and|/|or", "***", "one|.|Two", "_|One|_", "snake_case", ":)",
        # Markup: tags, character references and marks do not stick to words.
        "<b>|Ann|</b>", "Ann|<br/>|Bo", "Ann|&amp;|Bo", "Bo|&nbsp;|left", "&#39;|hi|&#39;", "AT&T|;",
        "**|Ann|**|'s", "[|Ann|]|(|https://x.org|)", "```|x|```", "<!-- x -->", "x|<|y|>|z",
        "<a href=\"x.org?a=b\">|Ann|</a>", "a|<|b and c|>|d",
        # Emoji of several code points.
        "👩‍👩‍👧‍👦|👍🏽", "🇩🇪|🇫🇷", "1️⃣", "#️⃣", "❤️|!", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👍|👍",
        # Other scripts: combining marks, joiners inside words, no blanks.
        "café cafe\u0301", "हिन्दी|।", "می‌خواهم", "مرحبا|،", "안녕하세요", "我|爱|北|京|。",
        "東|京|タワー|へ|行|った", "ABC|公|司", "Straße", "Łódź",
    ],
)  # fmt: skip
def test_words_are_cut_as_in_english_treebanks(expected: str) -> None:
    text = expected.replace("|", "")
    assert words(text) == expected.replace(" ", "|")


@pytest.mark.shared_data
def test_nearly_all_sentences_of_a_treebank_are_cut_as_there() -> None:
    equal, text, tokens = [], "", list[str]()
    with gzip.open(DATA / "gum" / "dev.conllu.gz", "rt", encoding="utf-8") as lines:
        for line in map(str.rstrip, lines):
            if line.startswith("# text = "):
                text = line.removeprefix("# text = ")
            elif not line:
                equal.append(document_of(text).words == tuple(tokens))
                tokens = []
            elif line.split("\t")[0].isdigit():
                tokens.append(line.split("\t")[1])
    assert len(equal) == 1_575
    assert sum(equal) > 0.97 * len(equal)


@pytest.mark.parametrize(
    "blank", [" ", "\t", "\xa0", "\r\n", "\u3000", "\u200b", "\ufeff", "\0", "\x85"]
)
def test_odd_blanks_divide_words(blank: str) -> None:
    doc = document_of(f"one{blank}two")
    assert doc.words == ("one", "two")
    assert doc.layers["offsets"][1] == (3 + len(blank), 6 + len(blank))


@pytest.mark.parametrize(
    "expected",
    [
        ["It rained.", "We left!", "Why?", "Nobody knows…", "Fine"],
        ['"Go." She went.'[:5], "She went."],
        ["(He slept.)", "[Then he ate.]", "“All of it?”", "‘Yes.’", "Done."],
        ["What?!", "No!!!", "Well..."],
        ["Mr. and Mrs. J. R. Smith met Dr. Li."],
        ["It was 3.14 or 1,000.50.", "It cost $2.", "25 came."],
        ["He moved to the U.S. in May.", "He lives in the U.S.", "He likes it."],
        ["Cats, dogs, etc. are pets.", "It opens at 9 a.m.", "The bus is late."],
        ["So do I.", "Am I late?"],
        ['"Really?" she asked.', '"Stop!" Ann cried.', "“Why?” said Bo."],
        ["See example.com for more.", "Mail a.b@c.org now."],
        ["It was shown. [1] [2]", "Others agree. [3]"],
        ["He waited . . . and left . . .", "He ran."],
        ["It rained.", "(see below)"],
        ["Hi! (see below)"],
        ["我爱你。", "你呢？", "好！"],
        ["كيف حالك؟", "بخير."],
        ["यह ठीक है।", "हाँ।"],
        ['He said "no and left.', "She didn't."],
    ],
)  # fmt: skip
def test_sentences(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_chinese_sentences_need_no_blank() -> None:
    assert sentences("我爱你。你呢？“好。”他说") == ["我爱你。", "你呢？", "“好。”", "他说"]


@pytest.mark.parametrize(
    "gap",
    [
        *("\n\n", "\r\n\r\n", "\n \t\n", "\r\r", "\n\u200b\n", "\u2029", "\n\n\n"),
        *("\x0b\x0b", "\x0c\x0c", "\x85\x85", "\u2028\u2028"),
    ],
)
def test_a_blank_line_ends_a_sentence(gap: str) -> None:
    assert sentences(f"A heading{gap}and a text") == ["A heading", "and a text"]


@pytest.mark.parametrize("gap", ["\n", "\r\n", "\r", "\u2028"])
def test_a_wrapped_line_does_not_end_a_sentence(gap: str) -> None:
    text = f"The longest river of them all is the{gap}Nile, as was thought when we still went to{gap}school."
    assert sentences(text) == [text]


def test_a_short_line_before_a_capital_ends_a_sentence() -> None:
    text = "Chapter One\nThe longest river of them all was not the Nile,\nas we thought"
    assert sentences(text) == ["Chapter One", text.partition("\n")[2]]


def test_items_of_a_list_are_sentences() -> None:
    text = "You need\n1. some flour from the shop\n2. water\n- salt\n- and time"
    assert sentences(text) == text.split("\n")
    assert document_of(text).words[2] == "1."


@pytest.mark.parametrize(
    "expected",
    [
        ["# The lighthouse keeper", "Miriam came home."],
        ["Miriam came home.", "## Part two", "She slept."],
        ["The lighthouse keeper", "=====", "Miriam came home."],
    ],
)
def test_headings_are_sentences(expected: list[str]) -> None:
    assert sentences("\n".join(expected)) == expected


def test_blocks_of_html_are_sentences() -> None:
    text = "<h1>The keeper</h1><p>Ann came. <b>She</b> slept.</p><ul><li>one<li>two</ul>"
    assert sentences(text) == [
        "<h1>The keeper</h1>",
        "<p>Ann came.",
        "<b>She</b> slept.</p>",
        "<ul>",
        "<li>one",
        "<li>two</ul>",
    ]


def test_sentences_end_inside_marks() -> None:
    assert sentences("**Ann left.** She ran.<br>He *did not.* <i>Why?</i> No.") == [
        "**Ann left.**",
        "She ran.<br>",
        "He *did not.*",
        "<i>Why?</i>",
        "No.",
    ]


def test_speakers_are_given_by_characters() -> None:
    text = "Ann: Hello there Bo: Hi"
    doc = document_of(text, speakers=[(17, 23, "Bo"), (5, 17, "Ann")])
    assert doc.sentences == (("Ann", ":"), ("Hello", "there"), ("Bo", ":", "Hi"))
    assert doc.layers["speaker"] == (None, None, "Ann", "Ann", "Bo", "Bo", "Bo")


def test_ranges_of_one_speaker_in_a_row_are_one_turn() -> None:
    doc = document_of("so it goes", speakers=[(0, 2, "A"), (3, 5, "A"), (6, 10, "B")])
    assert doc.sentences == (("so", "it"), ("goes",))


def test_no_ranges_of_speakers_are_not_the_same_as_none_given() -> None:
    assert document_of("so", speakers=[]).layers["speaker"] == (None,)
    assert "speaker" not in document_of("so").layers


@pytest.mark.parametrize(
    ("speakers", "message"),
    [
        ([(0, 3, "A"), (2, 5, "B")], "2 to 5 (B) begins before another ends"),
        ([(0, 6, "A")], r"(0, 6, 'A') is not a speaker range"),
        ([(-1, 3, "A")], "is not a speaker range"),
        ([(3, 1, "A")], "is not a speaker range"),
        ([(0, 3)], "is not a speaker range"),
        ([(0, 3, 7)], "is not a speaker range"),
    ],
)
def test_wrong_ranges_are_named(speakers: list[tuple[int, int, str]], message: str) -> None:
    with pytest.raises(CorelaxError) as caught:
        document_of("hello", id="d", speakers=speakers)
    assert message in str(caught.value)
    assert str(caught.value).startswith("document d: ")


def test_bytes_are_no_text() -> None:
    with pytest.raises(CorelaxError, match="a text is a str, not bytes"):
        document_of(b"hello")  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("piece", "tokens", "n_sentences"),
    [
        ("x", 1, 1),  # one word
        ("word ", 200_000, 1),  # no punctuation
        ("a-", 999_999, 1),  # the last word breaks off
        ("a@", 1_000_000, 1),
        ("?", 1_000_000, 1),
        ("(", 1_000_000, 1),
        ("…", 1, 1),
        ("<", 1, 1),
        ("<a ", 666_666, 1),
        ('<a b="', 833_330, 1),
        ("&", 1_000_000, 1),
        ("<p>", 333_333, 333_333),
        ("No. ", 500_000, 250_000),
        ("a\n\n", 333_333, 333_333),
        ("\n", 0, 0),
        ("中", 1_000_000, 1),
        ("\u200b ", 0, 0),
        ("\0\n", 0, 0),
        ("a\n", 500_000, 1),
        ("# a\n", 500_000, 250_000),
        ("a\u2029", 500_000, 500_000),
        ('."', 1_000_000, 1),
    ],
)  # fmt: skip
def test_a_megabyte_of_one_kind(piece: str, tokens: int, n_sentences: int) -> None:
    """A pattern that were not linear would not come to an end here."""
    doc = document_of(piece * (1_000_000 // len(piece)))
    assert (len(doc.words), len(doc.sentence_starts)) == (tokens, n_sentences)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("piece", "last", "tokens"),
    [
        ("[.]", " x", 300_003),  # references one after the other, each with a stop in it
        (" [.]", " (" * 100_000 + " x", 400_003),
        (" [. ] [.]", " (" * 100_000 + " x", 700_003),
    ],
)
def test_stops_inside_references(piece: str, last: str, tokens: int) -> None:
    """Linear too: what follows a reference is looked for once, not from each stop."""
    doc = document_of("Hi." + 100_000 * piece + last)
    assert len(doc.words) == tokens


def test_documents_of_a_folder_keep_their_raw_text(tmp_path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.txt").write_text("Ann: Hello, Bo!\n")
    (tmp_path / "sub" / "a.txt").write_text("Bo left.")
    (tmp_path / "notes.md").write_text("not read")
    first, second = read_documents([str(tmp_path)], dialogue=True)
    assert (first.raw_text, second.raw_text) == ("Ann: Hello, Bo!\n", "Bo left.")
    assert first.layers["speaker"] == (None, None, "Ann", "Ann", "Ann", "Ann")
    assert [first.raw_text[slice(*place)] for place in first.layers["offsets"]] == list(first.words)


def test_documents_of_annotated_files_have_no_raw_text(examples) -> None:
    documents = read_documents([str(examples / "data" / "gold.conll")])
    assert [doc.raw_text for doc in documents] == [None, None]


def test_standard_input_is_read_once() -> None:
    with pytest.raises(CorelaxError, match="standard input can be read once only"):
        read_documents(["-", "-"])
