"""The local Claude server: Bedrock's Converse and InvokeModel on 127.0.0.1.

`server` speaks the wire protocol, `protocol/` refuses what Bedrock refuses and counts tokens,
`backends/` holds the interface of whatever answers, `offline/` is the first of them: a reader
without a model, named "offline stand-in" wherever it appears.
"""
