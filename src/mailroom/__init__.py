"""Mailroom: what ships to AWS, one module per stage, in the order in which a document meets them.

    intake      an object was created: identify it, look at it, register it
    starting    in the same function: start its Textract job, or hold it while there is no room
    ocr_done    Textract has finished: start the document's execution
    extract     read all result files of the job; text, forms and tables per page, to S3
    classify    ask Claude for the document's class and fields; verify turns doubt into reasons
    store       one conditional write of the outcome

`document` holds the nouns, `errors` what can go wrong, `settings` the environment, `observability`
the logger and the metrics. Only the modules under `aws` import boto3.
"""
