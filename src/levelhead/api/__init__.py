"""The functions that commands and Python call."""

_FILES = {
    "breakdowns": ("analyze", "breakdown", "confusion", "sentences", "trees", "words"),
    "comparing": ("agree", "compare", "diff", "languages", "power"),
    "conversion": ("convert", "derive", "perplexity", "recover"),
    "correlation": ("correlate", "judge", "measurements"),
    "parsers": ("crossval", "parse", "train"),
    "ranking": ("difficulty", "rank"),
    "results": ("columns", "load"),
    "reports": ("cite", "paper_table", "write_report"),
    "scoring": ("explain", "score"),
    "studies": ("reproduce",),
    "testsets": ("testsets",),
    "treebanks": ("profile", "select", "similarity", "suspects"),
    "validation": ("validate",),
}
FUNCTIONS = {name: file for file, names in _FILES.items() for name in names}
"""The file of each public function."""
