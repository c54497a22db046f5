"""What each callable and operation means for abstract values: rules, a folder for each library or kind of value."""
