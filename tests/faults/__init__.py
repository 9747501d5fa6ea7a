"""Faults that are planted in the Scala code, one at a time, to see the random tests find them."""
