"""Running a program with the replacement libraries in front: which folder, which driver, which environment."""
