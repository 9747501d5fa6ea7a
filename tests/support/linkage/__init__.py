"""Resolves the references of class files, as the JVM does when it links."""
