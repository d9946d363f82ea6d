"""The functions that commands and Python call."""

FUNCTIONS = {
    "breakdowns": ("breakdown", "confusion", "trees"),
    "comparing": ("agree", "compare", "diff", "languages", "power"),
    "conversion": ("convert", "derive", "perplexity", "recover"),
    "correlation": ("correlate", "judge", "measurements"),
    "parsers": ("crossval", "parse", "train"),
    "ranking": ("rank",),
    "reports": ("cite", "paper_table", "write_report"),
    "scoring": ("explain", "score"),
    "studies": ("reproduce",),
    "treebanks": ("profile", "select", "similarity", "suspects"),
    "validation": ("validate",),
}
"""The public functions by file."""
