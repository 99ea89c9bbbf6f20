"""The paper's ranker: mentions, sparse features, and a network over them."""
