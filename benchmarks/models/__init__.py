"""Models as their users write them: nothing here knows of xlapy."""
