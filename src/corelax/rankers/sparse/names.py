"""Names that folders, settings and commands of the sparse ranker share."""

KIND = "corelax sparse ranker"  # how the format of its folders begins
LOCAL, LOCAL2, GLOBAL, DEEP = "local", "local2", "global", "deep"
NETWORKS = (LOCAL, LOCAL2, GLOBAL, DEEP)
DECODINGS = ("links", "entities")
# Objectives that train one part of the network; a ranker trained on them resolves nothing yet.
PRETRAINING = ("anaphoricity", "antecedent", "antecedent_margin")
# Objectives that a deep ranker begins with; it resolves from then on.
PAIR_PRETRAINING = ("all_pairs", "top_pairs")
