"""Tools for JAX's programs: traced late, looked into, with derivatives of their own, with fewer transposes."""
