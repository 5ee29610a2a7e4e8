"""`python -m ale_rs` is the command `ale-rs`."""

import sys

from ale_rs.cli import main

if __name__ == "__main__":
    sys.exit(main())
