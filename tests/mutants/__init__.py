"""Small changes of the code that decides proofs, each of which a unit suite must notice."""
