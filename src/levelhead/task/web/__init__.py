"""The web server: pages and the API."""
