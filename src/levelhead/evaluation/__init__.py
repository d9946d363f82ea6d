"""The evaluation of one output: settings, scores, and their provenance.

From two files to a score: `files.open_pair` opens them as a stream of pieces, of which a whole file is one;
`scoring.matches.match_pair` aligns the words of a piece and flags what agrees in each pair; `fold.fold` lets
`scoring.score.count` count each measure in each piece, and makes an `Evaluation` of the sums, which
`score_tables.score_table` prints.
"""
