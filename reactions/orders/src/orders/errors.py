"""What the functions raise. The class names are the names in the state machine."""


class OrderError(Exception):
    """Base of all; its leaves below are named in the state machine, or end the order."""


class StorageUnavailable(OrderError):
    """The table was busy or did not answer: another try may succeed."""


class BadOrder(OrderError):
    """The event's fields are no order that could be fulfilled."""


class PaymentRefused(OrderError):
    """The order cannot be charged, whatever is tried."""
