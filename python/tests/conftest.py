import os
import pathlib

# Next to a build, the package is in the source tree, and its configuration files are too.
os.environ.setdefault("TILECAST_CONFIG_DIR",
                      str(pathlib.Path(__file__).resolve().parents[2] / "configs"))
