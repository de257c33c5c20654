import os
import pathlib

# Next to a build the package is in the source tree, and so are its configuration files.
os.environ.setdefault("TILECAST_CONFIG_DIR",
                      str(pathlib.Path(__file__).resolve().parents[2] / "configs"))
