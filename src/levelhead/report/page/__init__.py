"""One self-contained page of a result, and its charts and tables as files."""

from levelhead.report.page.blocks import Block, Page, Section
from levelhead.report.page.files import write_drawing, write_figures
from levelhead.report.page.render import render

__all__ = ["Block", "Page", "Section", "render", "write_drawing", "write_figures"]
