"""Who plays the other seats. A bot is a module with `choose(view)`: it sees a View and nothing else."""
