// Has the headers precompiled that many sources share; see cmake/TilecastLayer.cmake.
