"""Texts of many kinds, written for this: they show how large the numbers of an encoder get."""

from __future__ import annotations

TEXTS = (
    # A story, with speech.
    """The lamp had gone out twice before Miriam found the stairs . " Who is there ? " she called , and
    her voice came back from the cellar , thin and strange . Old Tobias , who had kept the inn since
    his brother drowned , did not answer her . He only held the letter closer to his chest . " You
    knew , " said Miriam . " You knew that they would sell the mill , and you let my father sign . "
    The innkeeper shook his head . It was not the mill that they wanted , he thought ; it was the
    water .""",
    # News.
    """BERLIN , March 3 , 2024 -- Shares of Norvik Energy fell 7.4 % on Tuesday after the company said
    its chief financial officer , Dr. Helena Brandt , would leave by the end of the year . Norvik ,
    which employs 12,500 people in 14 countries , had warned investors in January that it would miss
    its target of € 3.2 billion . " We regret her decision , " chairman Paul O'Connor told reporters .
    The board hopes to name a successor in May , he added , and analysts at two banks cut their
    ratings to " hold " .""",
    # Talk.
    """So um , yeah , I mean , we went there like three times ? and it was closed every single time . No
    way . Yes ! And then this guy comes out and goes , are you guys lost or what . What did you say ?
    I didn't say anything , my sister did . She was like , do we look lost to you ? Oh my god . I know
    , right ? lol you should have seen his face !!! I can't even . ok so anyway , what are you doing
    on saturday""",
    # Biology and medicine.
    """Mutations in the gene encoding the sodium channel Nav1.7 ( SCN9A ) cause congenital insensitivity
    to pain . We generated knockout mice ( n = 24 ) that lack this channel in nociceptive neurons only
    ; they showed no response to heat ( p < 0.001 , Fig. 3B ) , whereas their littermates did .
    Expression of IL-6 and TNF-α was measured by RT-PCR as described previously [ 12 , 17 ] . These
    results suggest that the channel , rather than its ligand , is required for the response .""",
    # An encyclopedia.
    """Rosalind Elsie Hart ( 4 May 1871 – 19 November 1940 ) was a British astronomer and the first woman
    to direct the observatory at Kodaikanal , India . Born in Leeds , the third daughter of a
    clockmaker , she studied mathematics at Girton College , Cambridge , where her tutor was Grace
    Chisholm . In 1904 Hart and her husband , the painter Émile Vasseur , moved to Madras . Her
    catalogue of 3,118 double stars remained in use until the 1960s , when it was replaced by
    photographic surveys .""",
    # Instructions.
    """1 . Preheat the oven to 180 °C ( 350 °F ) . 2 . Beat the eggs with the sugar until they are pale ,
    then fold in the flour . Don't stir it too long ! 3 . Pour the batter into a tin , bake it for
    35-40 minutes , and let it cool on a rack . If the cake sinks , your oven was too hot : check it
    with a thermometer . Tips : use butter instead of oil ; keep leftovers in the fridge . Visit
    www.example.org/cakes or e-mail cook@example.org .""",
    # Law and politics.
    """Mr. President , distinguished members of this House , I rise to speak against the bill . Section
    14 ( b ) would allow the Minister to detain any person whom he believes to be a threat , without a
    warrant and without a hearing . The Supreme Court of the United States held in 1963 that the
    Constitution does not permit it ; the European Convention forbids it , and so did our grandparents
    , who had seen what it does to a people . I ask my colleagues to vote No . ( Applause . )""",
    # Odd marks and words, capitals, other scripts.
    """*** WARNING *** FILE NOT FOUND : C:\\temp\\x_01.dat ... 404 # @user12 https://t.co/aB3xYz :-)
    ¿Qué? 東京 Москва naïve façade Zürich Łódź æ ø ß ½ ™ © § ¶ “ ” ‘ ’ — … €5 £7 $9.99 50% 1st 2nd 3rd
    10:45pm 12/31/1999 A-4 B&B e.g. i.e. etc. vs. Ph.D. U.S.A. McDonald's O'Neill-Smith
    antidisestablishmentarianism hexakosioihexekontahexaphobia zzzz qwerty aaaaaa x y z = 3 + 4 * ( 2
    - 1 ) / 7 [ ] { } < > | ~ ^ `""",
)
