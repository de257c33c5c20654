// Has the headers precompiled that tests share; see cmake/TilecastLayer.cmake.
