"""Names that folders, settings and commands of the sparse ranker share."""

KIND = "corelax sparse ranker"  # how the format of its folders begins
DECODINGS = ("links", "entities")
# Objectives that train one part of the network; a ranker trained on them resolves nothing yet.
PRETRAINING = ("anaphoricity", "antecedent", "antecedent_margin")
