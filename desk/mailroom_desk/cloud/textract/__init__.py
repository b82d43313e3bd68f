"""A local Textract: it reads real documents and speaks the service's own protocol."""
