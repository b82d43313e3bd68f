"""Events at the desk: which patterns they match, and why not."""
