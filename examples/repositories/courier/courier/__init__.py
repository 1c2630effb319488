"""Courier sends newsletters."""
