"""Reads courier.toml. Secrets come from the environment."""

import os
import tomllib
from dataclasses import dataclass, field


class ConfigError(Exception):
    """A setting is missing or has a value that cannot be used."""


@dataclass
class Settings:
    smtp: dict = field(default_factory=dict)
    limits: dict = field(default_factory=dict)
    newsletter: dict = field(default_factory=dict)

    @property
    def password(self):
        name = self.smtp.get("password_variable", "COURIER_PASSWORD")
        return os.environ[name]


def load(path):
    with open(path, "rb") as file:
        values = tomllib.load(file)
    settings = Settings(
        smtp=values.get("smtp", {}),
        limits=values.get("limits", {}),
        newsletter=values.get("newsletter", {}),
    )
    if "sender" not in settings.newsletter:
        raise ConfigError(f"{path}: newsletter.sender is missing")
    return settings
