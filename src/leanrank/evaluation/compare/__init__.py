"""compare: selectors and rankers side by side."""
