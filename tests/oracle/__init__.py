"""A slow and plain second implementation of reading, alignment and every measure, to check the fast one against."""
