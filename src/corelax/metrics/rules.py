"""The rules of a run: what is scored, how mentions are matched, and whose conventions hold."""

from __future__ import annotations

from dataclasses import dataclass

from corelax.core.checks import check_choice
from corelax.core.errors import CorelaxError
from corelax.document import SINGLETONS

PROFILES = ("normal", "reference", "corefud")
NODE_MATCHES = ("exact", "partial", "head")  # those that compare the nodes of mentions
MATCHES = (*NODE_MATCHES, "min-span")
ZEROS = ("linear", "dependent")
NESTED = ("keep", "drop")
ONLY = ("np",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a run scores. What is not given is as the profile has it.

    Attributes:
        profile: "normal"; "reference" does as the reference scorer v8.01; "corefud" does as the CorefUD
            scorer of the CRAC shared tasks.
        match: When two mentions are the same: "exact" (same words), "partial" (the system's mention lies
            inside the gold one and has its head), "head" (same head) or "min-span" (same minimum span).
        zeros: "linear" compares empty nodes by place; "dependent" matches zeros by what they depend on.
        singletons: "keep", or "drop" to take entities of one mention off both sides.
        only: "np" takes mentions that are verb phrases off both sides; None scores all.
        nested: "drop" takes off mentions that lie inside another one of their entity.

    >>> rules_of(profile="corefud").match, rules_of().match
    ('head', 'exact')
    """

    profile: str = "normal"
    match: str = "exact"
    zeros: str = "linear"
    singletons: str = "keep"
    only: str | None = None
    nested: str = "keep"

    @property
    def are_plain(self) -> bool:
        """Whether all mentions count, and are the same if their spans are."""
        if self.profile == "corefud" or self.like_coval:
            return False
        return (self.match, self.zeros, self.singletons) == ("exact", "linear", "keep")

    @property
    def like_coval(self) -> bool:
        """Whether something is asked for that only coval has, so that its way of counting holds."""
        return self.match == "min-span" or self.only is not None or self.nested == "drop"

    @property
    def needs_trees(self) -> bool:
        """Whether the trees of gold are needed, for minimum spans or for heads that files do not give."""
        return self.match != "exact" or self.only is not None


def rules_of(
    *,
    profile: str = "normal",
    match: str | None = None,
    zeros: str | None = None,
    singletons: str | None = None,
    only: str | None = None,
    nested: str = "keep",
) -> Rules:
    """The rules of a profile with what is asked for, or an error if these do not go together."""
    if profile not in PROFILES:
        raise CorelaxError(f"unknown profile {profile!r}; choose from {', '.join(PROFILES)}")
    usual = ("head", "dependent", "drop") if profile == "corefud" else ("exact", "linear", "keep")
    rules = Rules(
        profile=profile,
        match=match or usual[0],
        zeros=zeros or usual[1],
        singletons=singletons or usual[2],
        only=only,
        nested=nested,
    )
    check_choice("match", rules.match, MATCHES)
    check_choice("zeros", rules.zeros, ZEROS)
    check_choice("singletons", rules.singletons, SINGLETONS)
    check_choice("nested", rules.nested, NESTED)
    if only is not None:
        check_choice("only", only, ONLY)
    if profile != "normal" and rules.like_coval:
        raise CorelaxError(f"the profile {profile!r} knows no min-span, no only and no nested")
    if profile == "reference" and (rules.match, rules.zeros) != ("exact", "linear"):
        raise CorelaxError("the profile 'reference' matches exact spans only")
    return rules
