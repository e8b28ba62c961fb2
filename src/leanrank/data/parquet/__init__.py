"""Parquet files and folders: scanner, writer."""
