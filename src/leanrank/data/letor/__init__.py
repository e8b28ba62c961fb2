"""LETOR text: reader, scanner, writer, and their errors."""
