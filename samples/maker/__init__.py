"""The sample documents, one function each, and the small kit that draws them."""
