"""Named documents in a memory, and text files made of them: what several doors are built on.

``shelf`` keeps documents, ``written`` says what one may be, ``files`` makes files of them, and ``facts`` shows what the
memory knows as files. No framework is known here, only the facade. Room for another form in which documents are kept.
"""
