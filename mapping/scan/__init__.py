"""What a program needs of NVIDIA's libraries, read off its files without running any of it."""
