"""From the YAML tables to a typed, frozen model. Emitters and tests never see a dict."""
