"""Apache DataFusion Comet beside the extension: its JAR, and a session with both."""
