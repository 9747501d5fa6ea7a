"""Random plans: tables in random places, queries of random shapes, changes between plan and run."""
