"""Acts on taxes: packs that are installed, codes, and the legs that codes make."""

from webapp.services.tax import codes, packs, parts, reliefs, returns
