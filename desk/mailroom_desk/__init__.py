"""What runs at the desk: the command line and the local cloud. Never packaged for AWS."""
