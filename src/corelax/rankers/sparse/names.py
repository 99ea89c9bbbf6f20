"""Names that folders, settings and commands of the sparse ranker share."""

KIND = "corelax sparse ranker"  # how the format of its folders begins
LOCAL, LOCAL2, GLOBAL = "local", "local2", "global"
NETWORKS = (LOCAL, LOCAL2, GLOBAL)
DECODINGS = ("links", "entities")
# Objectives that train one part of the network; a ranker trained on them resolves nothing yet.
PRETRAINING = ("anaphoricity", "antecedent", "antecedent_margin")
