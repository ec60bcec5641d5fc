"""What each command of `dragoman` does, one module a command; `cli.py` says how they are called.

A command returns its exit status. What it cannot do it says by an exception whose message is one line.
"""
