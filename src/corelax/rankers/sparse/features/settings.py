"""Which features there are, and which oddities of the original extractor are kept."""

from __future__ import annotations

from dataclasses import dataclass

from corelax.core.checks import check_choice, check_number

MENTION_TEMPLATES = (
    "type ner1 len head first last prec foll ctx1 ctx2 gov sentidx ner2 anim gender number person canon "
    "speaker genre headcase head_in_spk spk_in_head"
).split()
PAIR_TEMPLATES = (
    "dist sdist iwi samespk genre exact i_in_j j_in_i headmatch ihead_in_j jhead_in_i canon_i canon_j "
    "jhead_in_otherspk otherspk_in_jhead"
).split()

UNKNOWN = "#UNK#"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureSettings:
    """The switches of the feature set. The defaults are the recommended ones.

    Attributes:
        lexical_cutoff: Training count from which a word is a feature; rarer words are replaced by their tag.
        mention_type, first_ner: Whether φ_a has `type` and `ner1` (Le & Titov) or not (Wiseman et al.).
        second_ner: Whether φ_a has the NER type a second time (`ner2`).
        one_context: One template `ctx` for both syntactic contexts.
        governor_side: The governor's word carries the side it is on (`l-`, `r-`).
        mentions_in_pairs: Whether the pair network sees all of φ_a ("all"), or leaves out what the pair
            features repeat ("without_shared").
        unknown: A value that training did not have: "none" gives no feature, "template" fires one untrained
            feature of its template, "global" one for all templates.
        genre: "word" of `GUM_<genre>_<name>` ids (else the part before the first slash), or the "prefix" of
            two letters.
        third_person: Whether `person=3rd` exists.
        pronoun_animacy: By "rule", or by the word "lists".
        percent_animate: Whether PERCENT counts as a person, having the same first letters.
        animacy_as_written: Whether word lists are asked for the head as it is written, not for its lemma.
        lowercase_animacy: Whether they are then asked in lower case.
        empty_speakers: Whether "no speaker" is a speaker whose name every word contains.
        number_by_tag: Number of nouns by their tag, instead of by counts.
        shared_number: One set of values for pronouns and nouns.
        plural_names: Whether a head tagged NNPS is PROPER.
        containment: One string in another by "characters" ("he" in "the"), or by "tokens".
        own_tag_is_known: Whether `headcase` has a head that is its own tag, such as a comma.
        largest_count: `len` and `sentidx` stop there; 0 for no limit.
    """

    lexical_cutoff: int = 20
    mention_type: bool = True
    first_ner: bool = True
    second_ner: bool = False
    one_context: bool = False
    governor_side: bool = False
    mentions_in_pairs: str = "all"
    unknown: str = "none"
    genre: str = "word"
    third_person: bool = True
    pronoun_animacy: str = "rule"
    percent_animate: bool = False
    animacy_as_written: bool = False
    lowercase_animacy: bool = False
    empty_speakers: bool = False
    number_by_tag: bool = True
    shared_number: bool = False
    plural_names: bool = False
    containment: str = "characters"
    own_tag_is_known: bool = True
    largest_count: int = 0

    def __post_init__(self) -> None:
        choices = {
            "mentions_in_pairs": ("all", "without_shared"),
            "unknown": ("none", "template", "global"),
            "genre": ("word", "prefix"),
            "pronoun_animacy": ("rule", "lists"),
            "containment": ("characters", "tokens"),
        }
        for name, values in choices.items():
            check_choice(name, getattr(self, name), values)
        for name in ("lexical_cutoff", "largest_count"):
            check_number(name, getattr(self, name), integer=True)

    @property
    def mention_templates(self) -> list[str]:
        """The templates of φ_a, in order."""
        switches = {"type": self.mention_type, "ner1": self.first_ner, "ner2": self.second_ner}
        return [name for name in MENTION_TEMPLATES if switches.get(name, True)]

    def display_name(self, template: str) -> str:
        """The name of a template in the names of features."""
        return "ctx" if self.one_context and template in ("ctx1", "ctx2") else template

    @property
    def paired(self) -> list[int]:
        """The numbers of φ_a's templates that the pair network sees of both mentions."""
        shared = ("type", "genre", "canon") if self.mentions_in_pairs == "without_shared" else ()
        return [t for t, name in enumerate(self.mention_templates) if name not in shared]


_AS_RELEASED = {
    "unknown": "template",
    "genre": "prefix",
    "third_person": False,
    "pronoun_animacy": "lists",
    "percent_animate": True,
    "animacy_as_written": True,
    "empty_speakers": True,
    "number_by_tag": False,
}

FEATURE_SETS: dict[str, FeatureSettings] = {
    "default": FeatureSettings(),
    "lt17": FeatureSettings(second_ner=True, **_AS_RELEASED),  # type: ignore[arg-type]
    "w16": FeatureSettings(
        **{  # type: ignore[arg-type]
            **_AS_RELEASED,
            "mention_type": False,
            "first_ner": False,
            "second_ner": True,
            "one_context": True,
            "governor_side": True,
            "mentions_in_pairs": "without_shared",
            "unknown": "global",
        }
    ),
}
