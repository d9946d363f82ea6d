"""The web server: pages for people, the API for programs."""
