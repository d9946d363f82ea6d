"""Tables: typed columns, rows and notes; their writers, data frames, and what all JSON documents share."""
