"""The edge: the only modules that import boto3, one a service, each with its one error table."""
