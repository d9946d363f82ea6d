"""Files of UD releases: named by their contents, and found by their names."""
