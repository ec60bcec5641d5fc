"""From the model to source text: one module an output; `plan.py` names them all."""
