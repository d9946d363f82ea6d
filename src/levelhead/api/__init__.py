"""The public functions, one for each command: settings from Python values, then the functions of the rooms."""
