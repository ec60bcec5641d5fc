"""Which of NVIDIA's functions are answered, how, and who has confirmed it.

Set arithmetic over sources that are not derived from one another: what the tables say, what NVIDIA's libraries export, what
the built libraries export, and which judges really ran. "Mapped" alone is a claim.
"""
