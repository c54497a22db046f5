"""What containers hold: reading, writing, appending, popping and moving the items of vectors on the device."""
