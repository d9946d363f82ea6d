"""Charts as SVG: one set for pages, figures and studies."""
