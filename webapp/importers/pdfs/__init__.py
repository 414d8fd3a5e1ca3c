"""PDFs: the invoice inside and the text of the pages, read in a separate process within limits."""

from webapp.importers.pdfs.contents import PdfContents, PdfRefusedError, read

__all__ = ["PdfContents", "PdfRefusedError", "read"]
