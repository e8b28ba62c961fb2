"""The papers protocols."""
