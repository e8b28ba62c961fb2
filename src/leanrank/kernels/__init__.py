"""Compiled loops over plain arrays (X, y, query_ptr): no checks, no classes, no frames."""
