"""From the model to source text: one module an output, one registry (`outputs.py`) that names them all."""
