"""One self-contained page of a result, and its charts and tables as files."""

from levelhead.report.page.blocks import Block, Page, Section
from levelhead.report.page.figures import drawing_of, write_drawing, write_figures
from levelhead.report.page.render import render

__all__ = ["Block", "Page", "Section", "drawing_of", "render", "write_drawing", "write_figures"]
