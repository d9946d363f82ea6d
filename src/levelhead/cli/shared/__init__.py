"""Options that several commands share, and how results are printed."""
