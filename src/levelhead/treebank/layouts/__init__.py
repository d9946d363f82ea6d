"""Layouts of treebanks and outputs on disk: which files are gold, and which are the outputs of a system."""
