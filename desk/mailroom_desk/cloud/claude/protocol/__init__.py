"""Bedrock's rules: what is refused, how tokens are counted, how Messages map to Converse."""
