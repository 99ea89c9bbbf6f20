"""Words that tell the gender of a person: titles before names, nouns that end a description.

Pronouns are in `pronouns.py`. Only words that mean one gender alone are here: no *actor*, no *Dr.*
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Before a name, in lower case and without their full stop.
MALE_TITLES = _words(
    "mr mister messrs sir lord king prince duke earl baron count emperor master father brother uncle "
    "monsieur herr signor señor squire pope grandpa"
)
FEMALE_TITLES = _words(
    "mrs ms miss madam madame mme mlle mademoiselle lady dame queen princess duchess countess baroness "
    "empress mistress mother sister aunt auntie frau signora señora grandma"
)

# At the end of a description: "her old father".
MALE_NOUNS = _words(
    "man boy gentleman lad guy father dad daddy papa stepfather grandfather grandpa son grandson brother "
    "stepson stepbrother husband bridegroom widower fiancé boyfriend uncle nephew king prince duke earl "
    "emperor lord monk businessman policeman salesman fisherman nobleman workman clergyman sportsman"
)
FEMALE_NOUNS = _words(
    "woman girl lady lass mother mom mum mommy mummy mama mamma stepmother grandmother grandma daughter "
    "granddaughter sister stepdaughter stepsister wife bride widow fiancée girlfriend aunt niece queen "
    "princess duchess countess empress nun actress waitress hostess heiress businesswoman policewoman "
    "housewife noblewoman maid landlady"
)

# Before given names, or mostly so.
GIVEN_NAME_TITLES = _words(
    "miss lady dame aunt auntie uncle queen king prince princess emperor empress pope sir saint st father "
    "mother brother sister master grandma grandpa"
)

# Two of these with different surnames are two people. Ladies and lords go by given names as well.
SURNAME_TITLES = _words("mr mister dr doctor prof professor captain capt")

TITLES = MALE_TITLES | FEMALE_TITLES | SURNAME_TITLES | GIVEN_NAME_TITLES
