"""Treadle as a platform of JAX. JAX finds this module by its namespace and calls initialize()."""

import os
import pathlib

PLATFORM = "treadle"
LIBRARY = "pjrt_c_api_treadle_plugin.so"


def library_path() -> pathlib.Path:
    """The plugin: TREADLE_PLUGIN_LIBRARY where that is set, else the library beside this file."""
    override = os.environ.get("TREADLE_PLUGIN_LIBRARY")
    return pathlib.Path(override) if override else pathlib.Path(__file__).with_name(LIBRARY)


def initialize() -> None:
    """Registers the platform. Runs in every process that uses JAX, whatever platform that asks for: it stays cheap."""
    from jax._src import xla_bridge

    from . import _patches

    path = library_path()
    if not path.is_file():
        raise RuntimeError(f"Treadle's library is missing: {path}")
    _patches.before_registration(PLATFORM)
    # 400 is above JAX's own CPU backend (0) and below GPUs (500). NumPy arrays are copied: their owner may change them,
    # though JAX promises the plugin that nobody will.
    xla_bridge.register_plugin(PLATFORM, priority=400, library_path=str(path), options={"zero_copy": False})
    _patches.after_registration(PLATFORM)
