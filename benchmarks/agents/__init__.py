"""The three tasks of the interface's audit, played by agents through each door."""
