// Fake NVIDIA management library with one device on bus 0000:1b:00.0.

#include <cstdio>
#include <cstring>

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  std::snprintf(text, length, "999.1");
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  static int one;
  *device = &one;
  return std::strcmp(bus, "0000:1b:00.0") == 0 ? 0 : 2;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  *millijoules = 1500;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* degrees) {
  *degrees = 41;
  return sensor == 0 ? 0 : 2;
}
// Only the name from before driver 535 is provided.
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x1 | 0x4 | 0x20;
  return 0;
}
}
