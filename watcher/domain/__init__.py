"""The contract in types: canonical text, versions, pages, anchors, citations.

Pure: nothing here reads a file, a clock or a setting. Every offset is a UTF-8
byte offset into a canonical text unless its name says otherwise.
"""
