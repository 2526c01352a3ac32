def run(*a): return 0
