"""The functions of the order saga. They know Mailroom's event, and nothing else of Mailroom."""
