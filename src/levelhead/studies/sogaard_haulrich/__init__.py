"""Søgaard and Haulrich: string and derivation perplexities of treebanks, and how well they predict accuracy."""
