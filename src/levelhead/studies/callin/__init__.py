"""Callin: content and function relations, WLAS, and what they go with, over treebanks of UD 1.2."""
