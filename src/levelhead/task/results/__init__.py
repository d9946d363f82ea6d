"""Standings, the end of a task, and what is published of it."""
