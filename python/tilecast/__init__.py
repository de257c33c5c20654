"""Forecasts how fast a GPU matrix multiplication, or attention, runs for every schedule and tiling.

>>> import tilecast
>>> ranking = tilecast.predict(4096, 4096, 4096, dtype="bf16")
>>> ranking[0].config, ranking[0].time_us        # doctest: +SKIP
>>> ranking.to_pandas()                          # doctest: +SKIP

No GPU is needed or used by forecasts. Errors are exceptions with the program's one line:
ConfigError (a ValueError) for invalid input, FileError (an OSError) for files, Error for the rest.
`tilecast.matmul` and `tilecast.attention` run the predicted fastest kernel, given a GPU and libtilecast;
`tilecast.triton` prunes Triton's configurations, `tilecast.torch` has operators and a Linear.
"""

from ._attention import attention
from ._config import Config
from ._matmul import matmul
from ._model import (ConfigError, Error, Explanation, Failure, FileError, Gpu, Prediction,
                     Predictions, Ranking, config_folder, explain, gpus, predict, predict_many)
from ._problem import Attention, Gemm, routed_rows
from ._program import calibrate, report
from ._rank import rank

__version__ = "0.2.0"
__all__ = ["Attention", "Config", "ConfigError", "Error", "Explanation", "Failure", "FileError", "Gemm", "Gpu",
           "Prediction", "Predictions", "Ranking", "attention", "calibrate", "config_folder", "explain", "gpus",
           "matmul", "predict", "predict_many", "rank", "report", "routed_rows"]
