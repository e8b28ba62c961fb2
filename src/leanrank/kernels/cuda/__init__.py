"""The fold's arithmetic on a GPU: ranks, metrics and similarities of arrays of queries; imported where asked for."""
