"""The evaluation of one output: settings, scores, and their provenance.

From two files to a score: `files.score_files` chooses how files are read, whole or in pieces;
`scoring.matches.match_pair` aligns the words of a piece and flags what agrees in each pair; `fold.Fold` lets
`scoring.score.count` count each measure in each piece, and makes an `Evaluation` of the sums, which
`report.scores.score_table` prints.
"""
