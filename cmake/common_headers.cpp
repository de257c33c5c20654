// Precompiles headers that many sources share; see cmake/TilecastLayer.cmake.
