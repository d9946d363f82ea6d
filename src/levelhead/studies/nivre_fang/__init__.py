"""Nivre and Fang (2017): LAS by class of relations, LAS without classes and relations, CLAS."""
