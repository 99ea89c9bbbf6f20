"""Small good files of every format, with the oddities that each can hold."""

import json

CONLL = [
    b"""\
#begin document (nw/x); part 000
nw/x 0 0 Ann   NNP (TOP(S(NP*)  ann   -  1 Sp#1 (PERSON) (ARG0*) *     (0|(1)
nw/x 0 1 left  VBD (VP*         leave 01 2 Sp#1 *        (V*)    *     -
nw/x 0 2 happy JJ  (ADJP*)))    -     -  - Sp#1 *        *       (V*)  0)

nw/x 0 0 She   PRP (TOP(NP*))   -     -  - -    *        (1)

#end document
#begin document (nw/x); part 001
nw/x 1 0 It PRP * - - - - * -

#end document
""",
    b"""\
#begin document (d); part 000
d\t0\t0\tNew York\t(0|(12
d\t0\t1\tcaf\xc3\xa9\t(3)
d\t0\t2\t10\xc2\xa0000\t12)|(4

# comment
d\t0\t0\t(7)\t4)|0)
d\t0\t1\t#\t(3)

#end document
""",
    b"""\xef\xbb\xbf#begin document (a (b); c); part 003\r
x\t3\t7\ta\tNN\t*\t-\t-\t-\tS\t*\t*\t(0(1\r
x\t3\t8\tb\tNN\t*\t-\t-\t-\tS\t*\t*\t1)\r
x\t3\t9\tc\tNN\t*\t-\t-\t-\tS\t*\t(V*)\t0)\r
\r
#end document\r
""",
]

CONLLU = [
    b"""\
# newdoc id = GUM_x
# global.Entity = GRP-etype-infstat-minspan-link
# speaker = Ann
# text = Dogs don't bark
1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t4\tnsubj\t4:nsubj\tDiscourse=a|Entity=(1-animal-new-1-sgl)
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t4:aux\tEntity=(2-event(3-x
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\tEntity=3)
4\tbark\tbark\tVERB\tVB\t_\t0\troot\t_\tEntity=2)|SpaceAfter=No

# sent_id = 2
1\tdogs\tdog\tNOUN\tNNS\t_\t0\troot\t_\tEntity=(1-animal)

# newdoc id = y
1\t_\t_\tPUNCT\t_\t_\t0\troot\t_\t_

""",
    b"""\
# newdoc id = cs
# global.Entity = eid-etype-head-minspan-other
# sent_id = s1
0.1\t_\tona\tPRON\t_\t_\t_\t_\t1:nsubj\tEntity=(e1-person-1)
1\tP\xc5\x99i\xc5\xa1la\tp\tVERB\tVp\t_\t0\troot\t0:root\tEntity=(e3
1.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=e3)
2\tEva\tEva\tPROPN\tNN\t_\t1\tnsubj\t_\tEntity=(e1-person-1)|SpaceAfter=No

1\tona\ton\tPRON\tPP\t_\t4\tnsubj\t_\tEntity=(e2[1/2]-person-1-1,2-x:y)(e1
2\ti\ti\tCCONJ\tJ\t_\t3\tcc\t_\tEntity=e1)(e1
3\tpes\tpes\tNOUN\tNN\t_\t1\tconj\t_\tEntity=e1)(e2[2/2])
4\tspali\tsp\tVERB\tVp\t_\t0\troot\t_\t_

""",
    b"""\
# global.Entity = etype-eid
1\ta\t_\t_\t_\t_\t_\t_\t_\tA=1|Entity=(person-e1|Z=2
2\tb\t_\t_\t_\t_\t_\t_\t_\tEntity=(place-e2
3\tc\t_\t_\t_\t_\t_\t_\t_\tEntity=e1)|SplitAnte=e1<e2,e2<e2
4\td\t_\t_\t_\t_\t_\t_\t_\tEntity=e2)
""",
]

UA = [
    b"""\
# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY SPLIT BRIDGING
# newdoc id = d
# speaker = Ann
1\tthe\t_\tDET\t_\t_\t2\tdet\t_\tA=1\t(EntityID=1|MarkableID=m1|Min=2|ElementOf=3(EntityID=2|MarkableID=m2)\t_\t_
2\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_\t)\t_\t(MarkableID=m1|Rel=x|MentionAnchor=m2)
2.1\t_\t_\tPRON\t_\t_\t_\t_\t2:nsubj\t_\t(EntityID=3|MarkableID=m3)\t_\t_

3-4\tdel\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\t_\t_\t_\t_\t_\t_\t_\t_\t(EntityID=1|MarkableID=m4@(EntityID=9-Pseudo|MarkableID=m5)\tEntityID=1|ElementOf=3\t_
4\tel\t_\t_\t_\t_\t_\t_\t_\t_\t(EntityID=2|MarkableID=m6\t_\t_
5\tx\t_\t_\t_\t_\t_\t_\t_\t_\tm4)(EntityID=2|MarkableID=m7)\t_\t_
6\ty\t_\t_\t_\t_\t_\t_\t_\t_\tm6)(EntityID=2|MarkableID=m7)\t_\t_

""",
]

E2E = {
    "doc_key": "nw/x_0",
    "sentences": [["Ann", "left"], ["She"]],
    "speakers": [["A", "A"], ["-"]],
    "clusters": [[[0, 0], [2, 2]], [[0, 1]]],
}
FLAT = {"doc_key": "y", "tokens": ["a", "b"], "sent_id": [0, 1], "clusters": [[[0, 1]]], "x": 1.5}
WL_COREF = {
    "document_id": "x",
    "part_id": 2,
    "cased_words": ["Ann", "left", "."],
    "sent_id": [0, 0, 1],
    "speaker": ["A", "B", "B"],
    "pos": ["N", "V", "."],
    "deprel": ["s", "r", "p"],
    "head": [1, None, 1],
    "span_clusters": [[[0, 1], [1, 3]]],
    "word_clusters": [[0, 2]],
}
LAYERS = {
    "doc_key": "x",
    "sentences": [["a", "é\U0001f600"], ["c"]],
    "clusters": [[[0, 1]], [[0, 1], [2, 2]]],
    "layers": {
        "pos": ["N", None, "V"],
        "arguments": [["*"], ["*"], []],
        "head": [-1, 0, -1],
        "misc": ["A=1", None, "B=2"],
        "numbering": [["x", "0", "0"], ["x", "0", "1"], ["x", "0", "0"]],
    },
}
NO_NAME = {
    "tokens": ["no", "name"],
    "layers": {"offsets": [[0, 2], [3, 7]], "parse": ["(S*", "*)"]},
}
JSON = [
    "".join(json.dumps(fields) + "\n" for fields in file).encode()
    for file in ([E2E, FLAT], [WL_COREF], [LAYERS, NO_NAME])
]

SEEDS = {"conll": CONLL, "conllu": CONLLU, "conllua": UA, "jsonl": JSON}
