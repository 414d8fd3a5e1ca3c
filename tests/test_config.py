"""Settings come from the environment or from files it names, and unsafe ones stop the start."""

import pytest

from webapp.config import Settings, UnsafeSettingError


@pytest.fixture
def read(tmp_path):
    def settings(**environment):
        return Settings.from_environment({"INSTANCE_PATH": str(tmp_path / "instance"), **environment})

    return settings


def test_a_newcomer_gets_sqlite_in_the_instance_on_loopback(read, tmp_path):
    settings = read()
    assert settings.database_url == f"sqlite:///{tmp_path / 'instance' / 'tieout.sqlite'}"
    assert (settings.host, settings.port, settings.workers, settings.threads) == ("127.0.0.1", 8000, 1, 8)
    assert settings.trusted_hosts == ("localhost", "127.0.0.1", "[::1]")


def test_postgresql_is_reached_by_psycopg_with_two_workers(read):
    settings = read(DATABASE_URL="postgresql://books@db/tieout")
    assert settings.database_url == "postgresql+psycopg://books@db/tieout"
    assert settings.workers == 2


def test_a_setting_may_stand_in_a_file(read, tmp_path):
    address = tmp_path / "address"
    address.write_text("postgresql://books@db/tieout\n")
    assert read(DATABASE_URL_FILE=str(address)).database_url == "postgresql+psycopg://books@db/tieout"


@pytest.mark.parametrize(
    ("environment", "hint"),
    [
        ({"DATABASE_URL_FILE": "nowhere"}, "cannot be read: nowhere"),
        ({"FLASK_DEBUG": "1"}, "Unset it"),
        ({"TRUSTED_HOSTS": "*"}, "must list host names"),
        ({"TRUSTED_HOSTS": "books.example,"}, "must list host names"),
        ({"DATABASE_URL": "mysql://books"}, "must begin with postgresql:// or sqlite:///"),
        ({"PORT": "http"}, "whole number from 0 to 65535"),
        ({"PORT": "65536"}, "whole number from 0 to 65535"),
        ({"WEB_CONCURRENCY": "0"}, "whole number from 1"),
        ({"THREADS": "-1"}, "whole number from 1"),
        ({"METRICS": "all"}, "set it to loopback, or set METRICS_TOKEN"),
        ({"METRICS_TOKEN": "secret"}, "fewer than 16 characters"),
    ],
    ids=str,
)
def test_an_unsafe_setting_stops_the_start_with_a_hint(read, environment, hint):
    with pytest.raises(UnsafeSettingError, match=hint):
        read(**environment)
