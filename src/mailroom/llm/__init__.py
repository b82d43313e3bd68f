"""From pages to a class and fields: what `classify` asks and how it reads the answer.

`prompt` is the request, `windows` divides what is too long for one, `reading` asks for all of them
through `asking`, `answer` reads each (`coercion` and `text_answer` by explicit rules, with the
document's `habits`), `merge` makes one of many.
"""
