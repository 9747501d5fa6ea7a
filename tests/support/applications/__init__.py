"""Applications in processes of their own: what they run, and how tests talk to them."""
