"""Charts as SVG, for pages, figures and studies."""
