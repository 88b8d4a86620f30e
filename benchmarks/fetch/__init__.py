"""What a check costs: CPU, memory, descriptors."""
