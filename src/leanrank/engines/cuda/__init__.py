"""The fold's arithmetic on a GPU: ranks, metrics and similarities of whole blocks; loaded only where asked for."""
