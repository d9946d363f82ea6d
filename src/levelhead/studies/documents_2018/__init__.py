"""Documents against sentences: how wrong intervals and tests are that resample sentences."""
