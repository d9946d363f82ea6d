"""Kohita, Noji and Matsumoto (2017): what conversion to function heads changes, and what it gains."""
