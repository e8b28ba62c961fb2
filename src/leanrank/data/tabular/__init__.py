"""Tables with named columns: CSV files and frames."""
