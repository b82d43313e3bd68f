"""The local cloud: servers that stand in for AWS on a laptop."""
