"""The evaluation of one output: settings, scores, and their provenance.

From two files to a score: `files.score_files` chooses how files are read; `pair.load_pair` reads them into treebanks;
`scoring.matches.match_pair` aligns their words and flags what agrees in each pair; `pair.score_matches` lets
`scoring.score.score_measure` count each measure, and makes an `Evaluation` of the scores, which
`score_tables.score_table` prints.
"""
