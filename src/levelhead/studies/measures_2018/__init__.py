"""Which measure separates systems best: a study of the outputs of the CoNLL 2018 shared task."""
