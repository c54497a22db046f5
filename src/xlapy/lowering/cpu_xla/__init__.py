"""What XLA's compiler for CPUs needs done for it. All of it was measured with that of jaxlib 0.10; a file that was
measured with other versions says so."""
