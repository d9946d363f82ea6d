"""Søgaard and Haulrich: string and derivation perplexities of treebanks, and what they say of parsers."""
