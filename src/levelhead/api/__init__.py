"""The public functions, one per command: they check Python values and call the functions of other rooms."""
