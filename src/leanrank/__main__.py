"""`python -m leanrank`: the command, where it is not on the path."""

from leanrank.cli import main

if __name__ == "__main__":
    main()
