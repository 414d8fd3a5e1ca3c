"""PDFs: the invoice that one carries and the text on its pages, read in a process of its own within limits."""

from webapp.importers.pdfs.contents import PdfContents, PdfRefusedError, read

__all__ = ["PdfContents", "PdfRefusedError", "read"]
