"""One self-contained page of a result, and its charts and tables as files."""

from levelhead.report.page.blocks import Block, Page, Section
from levelhead.report.page.files import drawing_of, render, write_drawing, write_figures

__all__ = ["Block", "Page", "Section", "drawing_of", "render", "write_drawing", "write_figures"]
