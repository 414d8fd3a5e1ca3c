"""Rules, their runs and suggested rules over JSON."""
