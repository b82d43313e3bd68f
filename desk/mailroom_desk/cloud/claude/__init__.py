"""The local Claude server: Bedrock's Converse and InvokeModel on 127.0.0.1.

`server` speaks the wire protocol, `protocol/` refuses what Bedrock refuses and counts tokens,
`backends/` holds the interface and all who answer, `choice` says which. `offline/`
is the reader behind the first of them, without a model: "offline stand-in" wherever it appears.
"""
