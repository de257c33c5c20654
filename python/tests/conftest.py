import os
import pathlib

# Beside a build the package lies in the sources, and so do its configuration files.
os.environ.setdefault("TILECAST_CONFIG_DIR",
                      str(pathlib.Path(__file__).resolve().parents[2] / "configs"))
