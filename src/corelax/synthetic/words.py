"""The stock of words. Everything else about the text is in `entities`, `references` and `clauses`."""

from __future__ import annotations

from typing import NamedTuple


class Verb(NamedTuple):
    """A verb in the three forms that stories in the past need."""

    base: str
    past: str
    participle: str


def _stock(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _verbs(text: str) -> tuple[Verb, ...]:
    """One verb a comma: `sell sold sold`, or `call` for a regular one."""
    verbs = []
    for entry in text.split(","):
        base, *irregular = entry.split()
        past = f"{base}d" if base.endswith("e") else f"{base}ed"
        verbs.append(Verb(base, *irregular) if irregular else Verb(base, past, past))
    return tuple(verbs)


FIRST_NAMES = {
    "he": _stock(
        """Tom Paul Mark Omar Erik Luis Henry Victor Samuel Daniel Peter Marco Ivan Karl Simon Hugo
        Walter George Felix Martin Oscar Adrian Rashid Kenji Pedro Arthur Boris Nils Stefan Julian
        Edward Frank Gavin Harold Ian Jacob Leonard Miles Neil Philip"""
    ),
    "she": _stock(
        """Anna Maria Julia Ruth Clara Nadia Ingrid Sofia Helen Laura Emma Alice Rosa Fatima Elena
        Sarah Irene Monica Vera Lucy Diana Karen Yuki Teresa Olga Petra Gloria Amelia Nora Eva
        Beatrice Carmen Dora Edith Frida Greta Hannah Isabel Judith Linda"""
    ),
}
LAST_NAMES = _stock(
    """Reed Mercer Holt Lindqvist Okafor Marsh Bauer Castillo Dunn Ellery Falk Grant Hale Ibsen Jansen
    Keller Lowell Moreau Nakata Orlov Pryce Quinn Rossi Sandoval Thorne Ueda Vance Weiss Yates Zeman
    Abbott Barlow Corbin Drake Egan Fenwick Garrick Hollis Ivers Judd Kemp Larkin Maddox Nolan Osgood
    Pembroke Rankin Sutter Tolliver Underhill Varga Whitlock York Zoller Amari Brandt Cole Devlin
    Ekström Forrest"""
)
CITIES = _stock(
    """Oslo Lisbon Cairo Bergen Geneva Lima Quito Dublin Hamburg Naples Krakow Porto Tunis Ghent Turin
    Malmö Basel Leeds Osaka Havana Denver Boston Chicago Bristol Zurich Prague Athens Riga Tallinn
    Nairobi Accra Dakar"""
)
COUNTRIES = _stock("Peru Norway Chile Kenya Portugal Iceland Austria Bolivia")
PLACES = CITIES + COUNTRIES
ORGANISATION_NAMES = _stock(
    """Norvik Altamar Brightwell Castor Delphin Eastgate Fairmont Granite Harbour Ironside Juniper
    Kestrel Lakeland Meridian Northway Orion Pinewood Redwood Sterling Tidewater Unity Vantage
    Westbrook Zenith"""
)
ORGANISATION_NOUNS = _stock(
    "Bank Hospital College Museum Airlines Motors Foods Theatre Press Shipping Insurance Society"
)
ORGANISATION_KINDS = {  # what "the ..." takes up; other names are companies
    "Bank": "bank",
    "Hospital": "hospital",
    "College": "college",
    "Museum": "museum",
    "Airlines": "airline",
    "Theatre": "theatre",
    "Society": "society",
}
PERSON_NOUNS = {
    None: _stock(
        # of either gender
        """doctor engineer teacher lawyer baker painter judge pilot nurse farmer clerk singer driver
        writer student professor dentist architect chemist gardener librarian manager musician
        photographer reporter sailor scientist secretary surgeon tailor translator mayor senator
        minister carpenter cook editor guide inspector"""
    ),
    "he": ("policeman", "waiter", "actor", "businessman", "fisherman", "monk", "salesman"),
    "she": ("policewoman", "waitress", "actress", "businesswoman", "widow", "nun", "countess"),
}
RELATIVES = {
    "he": ("brother", "father", "uncle", "nephew", "grandfather", "cousin"),
    "she": ("sister", "mother", "aunt", "niece", "grandmother", "daughter"),
}
GROUP_NOUNS = _stock(
    """workers students soldiers farmers players nurses tourists voters neighbours dancers miners
    drivers officials pupils engineers villagers guests volunteers experts guards hunters"""
)
OBJECT_NOUNS = _stock(
    """car boat house bicycle letter painting camera piano garden bridge lamp clock book coat ring map
    suitcase violin window table machine engine garage tower carpet mirror statue ladder truck desk
    radio telescope wallet necklace report contract diary manuscript photograph computer"""
)
PERSON_ADJECTIVES = _stock(
    """young old tall famous quiet nervous clever rich tired friendly angry patient strict gentle
    cheerful proud retired stubborn brave polite"""
)
OBJECT_ADJECTIVES = _stock(
    """old new small large heavy broken expensive strange green red wooden dusty rusty beautiful
    elegant cheap modern narrow bright yellow"""
)
PLACE_ADJECTIVES = _stock("small remote lovely crowded dark quiet foreign nearby")
FIRM_ADJECTIVES = _stock("new local foreign private state-owned small regional")
STATES = {
    "person": _stock("happy tired late ready ill famous afraid busy absent surprised"),
    "group": _stock("happy tired late ready ill famous afraid busy absent surprised"),
    "organisation": _stock("bankrupt successful famous old closed large important busy"),
    "place": _stock("crowded quiet far cold beautiful famous large empty"),
    "object": _stock("broken expensive lost heavy old dirty safe ready empty"),
}

# Noun phrases that refer to nothing in the story.
OTHER_PEOPLE = _stock("neighbour stranger friend visitor child customer colleague passer-by")
OTHER_THINGS = _stock(
    """sandwich newspaper cup ticket question answer storm mistake decision meal song idea plan
    problem rumour proposal discount holiday promise secret lesson prize reason solution"""
)
MASS_NOUNS = _stock("money bread coffee water advice time help snow rain music patience")
OTHER_PLACES = _stock("village station market forest harbour corner street valley school")
PERIODS = _stock("week month year winter summer spring")
DAYS = _stock("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
EDGES = _stock("end middle beginning")
NUMBERS = _stock("two three four five six seven eight ten twelve")

ON_PEOPLE = _verbs(
    """meet met met,call,thank,help,visit,follow,see saw seen,remember,trust,invite,admire,warn,
    teach taught taught,blame,greet,forgive forgave forgiven,recognise,miss,join,interview"""
)
ON_THINGS = _verbs(
    """sell sold sold,repair,buy bought bought,find found found,lose lost lost,paint,clean,break broke
    broken,borrow,see saw seen,take took taken,examine,hide hid hidden,lock,mention,want,
    forget forgot forgotten,describe,keep kept kept,steal stole stolen"""
)
GIVING = _verbs("give gave given,sell sold sold,lend lent lent,send sent sent,show showed shown")
MOVING = _verbs("go went gone,travel,return,walk,fly flew flown,move,drive drove driven")
STAYING = _verbs("live,stay,work,rest,wait,study studied studied,sleep slept slept")
SAYING = _verbs(
    "say said said,think thought thought,believe,know knew known,claim,hope,explain,fear"
)
ON_ONESELF = _verbs("hurt hurt hurt,prepare,blame,defend,introduce,surprise,calm")
ALONE = _verbs("smile,laugh,leave left left,wait,cough,nod nodded nodded,return,sleep slept slept")
WANTING = _verbs("want,decide,hope,promise,refuse,try tried tried,plan planned planned")
OF_FIRMS = _verbs("hire,dismiss,pay paid paid,invite,sue,reward,honour")
HARMING = _verbs("damage,destroy,delay,interrupt,surprise,ruin")
FAILING = _verbs("disappear,vanish,break broke broken,fall fell fallen,burn")

MANNER = _stock(
    """quickly quietly often suddenly finally carefully always never soon nearly almost simply gladly
    slowly rarely usually eventually really secretly immediately"""
)
OPENINGS = _stock("However Later Meanwhile Fortunately Afterwards Still Then Perhaps")
LINKS = _stock("and but so")
CLAUSE_LINKS = _stock("because although when while after before since until")
