#include "gpu/device_probe.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "gpu/device_launch.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/guarded_buffer.hpp"
#include "protocol/json/json_text.hpp"

namespace tilelab::cuda {
namespace {

std::string hexadecimal(const std::array<unsigned char, 16>& bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) text += {digits[byte >> 4], digits[byte & 15]};
  return text;
}

nlohmann::json describe(const Driver& driver, DeviceHandle device) {
  std::array<char, 256> name{};
  driver.check(driver.device_name(name.data(), static_cast<int>(name.size() - 1), device), "cuDeviceGetName");
  std::size_t memory = 0;
  driver.check(driver.device_memory(&memory, device), "cuDeviceTotalMem");
  const auto number = [&](DeviceAttribute which) { return driver.attribute(device, which); };
  std::array<unsigned char, 16> uuid{};
  driver.check(driver.device_uuid(uuid.data(), device), "cuDeviceGetUuid");
  return {{"name", name.data()},
          {"uuid", hexadecimal(uuid)},
          {"capability", number(DeviceAttribute::capability_major) * 10 + number(DeviceAttribute::capability_minor)},
          {"multiprocessors", number(DeviceAttribute::multiprocessors)},
          {"memory_bytes", memory},
          {"l2_bytes", number(DeviceAttribute::l2_bytes)},
          {"clock_rate_khz", number(DeviceAttribute::clock_rate_khz)},
          {"memory_clock_rate_khz", number(DeviceAttribute::memory_clock_rate_khz)},
          {"memory_bus_bits", number(DeviceAttribute::memory_bus_bits)}};
}

}  // namespace

std::string probe_devices(const std::string& driver_path) {
  nlohmann::json answer;
  try {
    const Driver& driver = load_driver(driver_path);
    driver.check(driver.init(0), "cuInit");
    int version = 0, count = 0;
    driver.check(driver.driver_version(&version), "cuDriverGetVersion");
    driver.check(driver.device_count(&count), "cuDeviceGetCount");
    answer = {{"driver", version}, {"library", driver.library}, {"devices", nlohmann::json::array()}};
    for (int i = 0; i < count; ++i) {
      DeviceHandle device = 0;
      driver.check(driver.device_get(&device, i), "cuDeviceGet");
      answer["devices"].push_back(describe(driver, device));
    }
  } catch (const DriverError& error) {
    answer = {{"trouble", error.what()}};
  }
  return json_text(answer);
}

std::string try_device(const std::string& driver_path, int device) {
  try {
    const Driver& driver = load_driver(driver_path);
    enter_device(driver, device);
    const GuardedBuffer buffer(driver, std::vector<std::byte>(4096));
    if (buffer.content().size() != 4096 || buffer.overrun()) throw DriverError("what was written to the GPU is not what is read there");
    return json_text({{"usable", true}});
  } catch (const DriverError& error) {
    return json_text({{"trouble", error.what()}});
  }
}

}  // namespace tilelab::cuda
