"""Files of any kind: each becomes an import or a document, or waits in the inbox with its question."""

from webapp.services.inbox import arrivals, drop_folders, inbox_files
