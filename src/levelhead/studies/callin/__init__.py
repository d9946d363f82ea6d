"""Callin: content and function relations, WLAS, and what they correlate with, over treebanks of UD 1.2."""
