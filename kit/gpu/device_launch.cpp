#include "gpu/device_launch.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "gpu/cubin.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/guarded_buffer.hpp"
#include "runner/launch.hpp"

namespace tilelab::cuda {
namespace {

using protocol::LaunchConfig;
using protocol::Role;
using protocol::Status;

constexpr std::size_t poisoned_shared_bytes = 48 * 1024;
constexpr unsigned poisoning_blocks = 8;  // for each multiprocessor: more than fit into its shared memory at a time
constexpr int warp_lanes = 32, register_unit = 8;

Trouble refused(std::string why) { return {Status::launch_error, "", std::move(why), false}; }

protocol::Finding finding_of(std::string kind, std::string message) {
  protocol::Finding finding;
  finding.kind = std::move(kind);
  finding.severity = "error";
  finding.message = std::move(message);
  return finding;
}

std::vector<std::byte> read_file(const Descriptor& file, const protocol::Argument& argument) {
  std::vector<std::byte> bytes(argument.bytes);
  if (!file.read_at(0, bytes.data(), bytes.size())) throw std::runtime_error("buffer " + argument.name + " cannot be read");
  return bytes;
}

class Launch {
 public:
  Launch(const CubinImage& image, const Driver& driver, DeviceHandle device, const protocol::LaunchRequest& request,
         const std::vector<Descriptor>& files)
      : image_(image), driver_(driver), device_(device), request_(request), files_(files) {}

  void run() {
    const LoadedModule module(driver_, image_.cubin);
    const Function kernel = module.kernel(image_);
    if (kernel == nullptr) throw Trouble{Status::internal_error, "", "the cubin has no kernel " + image_.kernel, false};
    check_parameters(kernel);
    reply.config = request_.config ? *request_.config : ask_launch_function(module);
    check_limits(kernel);
    poison_shared(module);
    for (const protocol::Argument& argument : request_.arguments) {
      if (argument.role == Role::scalar) continue;
      if (image_.watched && argument.role == Role::output) {
        buffers_.emplace_back(driver_, argument.bytes);
      } else {
        buffers_.emplace_back(driver_, read_file(files_.at(buffers_.size()), argument), image_.watched ? 0 : guard_bytes);
      }
    }
    run_kernel(kernel);
    look_at_guards();
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const std::vector<std::byte> bytes = buffers_[i].content();
      if (!files_.at(i).write_at(0, bytes.data(), bytes.size())) throw std::runtime_error("a buffer cannot be written back");
    }
  }

  protocol::LaunchReply reply;

 private:
  // Kernels of the same name differ in their parameters. An extern "C" name does not contain them, so they are checked here.
  void check_parameters(Function kernel) const {
    if (!driver_.function_parameter) return;
    std::size_t offset = 0, bytes = 0, count = 0;
    for (const protocol::Argument& argument : request_.arguments) {
      const std::size_t wanted = argument.role == Role::scalar ? argument.bytes : sizeof(DeviceAddress);
      if (driver_.function_parameter(kernel, count++, &offset, &bytes) != 0 || bytes != wanted) throw wrong_parameters();
    }
    if (driver_.function_parameter(kernel, count, &offset, &bytes) == 0) throw wrong_parameters();
  }

  Trouble wrong_parameters() const {
    return refused("The kernel does not have the parameters that the lab asks for: expected " + image_.kernel + ".");
  }

  LaunchConfig ask_launch_function(const LoadedModule& module) {
    const auto [result, config] = module.ask(image_.ask_launch, request_.launch_arguments);
    expect(result, "The launch function: ");
    return config;
  }

  void check_limits(Function kernel) {
    const int registers = driver_.attribute(kernel, FunctionAttribute::registers);
    reply.counters["registers"] = static_cast<std::uint64_t>(registers);
    const auto static_shared = static_cast<std::size_t>(driver_.attribute(kernel, FunctionAttribute::static_shared_bytes));
    if (const std::string why = launch_refusal(reply.config, static_shared); !why.empty()) throw refused(why);
    const protocol::Extent& block = reply.config.block;
    const int threads = static_cast<int>(block.x * block.y * block.z);  // checked before: at most 1,024
    const int most = driver_.attribute(kernel, FunctionAttribute::max_threads_per_block);
    if (threads <= most) return;
    const int warps = (threads + warp_lanes - 1) / warp_lanes;
    const int needed = (registers + register_unit - 1) / register_unit * register_unit * warp_lanes * warps;
    const int available = driver_.attribute(device_, DeviceAttribute::registers_per_block);
    if (needed > available) {
      reply.counters["short_of_registers"] = 1;
      throw refused("A block of " + std::to_string(threads) + " threads with " + std::to_string(registers) + " registers each needs " +
                    std::to_string(needed) + " registers; the GPU has " + std::to_string(available) +
                    ". Use __launch_bounds__ to tell the compiler the block's size.");
    }
    throw refused("The block has " + std::to_string(threads) + " threads, but the kernel's __launch_bounds__ allows at most " +
                  std::to_string(most) + ".");
  }

  // Shared memory keeps what the last block on the multiprocessor left there. So it is filled with NaN: if a kernel reads an
  // unwritten element and uses it, the result shows it, as on the CPU.
  void poison_shared(const LoadedModule& module) const {
    if (image_.poison_shared.empty() || image_.watched) return;
    const auto blocks = static_cast<unsigned>(driver_.attribute(device_, DeviceAttribute::multiprocessors)) * poisoning_blocks;
    unsigned words = poisoned_shared_bytes / sizeof(std::uint32_t), word = request_.shared_poison * 0x01010101u;
    void* parameters[] = {&words, &word};
    expect(driver_.run(module.function(image_.poison_shared), {{blocks, 1, 1}, {256, 1, 1}, poisoned_shared_bytes}, parameters),
           "Filling shared memory: ");
  }

  void run_kernel(Function kernel) {
    std::vector<DeviceAddress> addresses;
    for (const GuardedBuffer& buffer : buffers_) addresses.push_back(buffer.address());
    KernelParameters parameters(request_.arguments, std::move(addresses));
    expect(driver_.run(kernel, reply.config, parameters.data()), "");
  }

  void expect(Result result, const std::string& about) const {
    if (result == 0) return;
    Trouble trouble = trouble_of(result, driver_.words(result));
    trouble.message = about + trouble.message;
    throw trouble;
  }

  void look_at_guards() {
    std::size_t buffer = 0;
    for (const protocol::Argument& argument : request_.arguments) {
      if (argument.role == Role::scalar) continue;
      const auto overrun = buffers_[buffer++].overrun();
      if (!overrun) continue;
      const auto element_bytes = static_cast<std::ptrdiff_t>(std::max<std::size_t>(argument.element_bytes, 1));
      const std::string element = argument.name + "[" + std::to_string(*overrun / element_bytes) + "]";
      const std::string where = *overrun < 0 ? "before the first element of " : "past the last element of ";
      protocol::Finding finding =
          finding_of("out-of-bounds", "A thread writes " + where + argument.name + ", at " + element + ", where " + argument.name +
                                          " has " + std::to_string(static_cast<std::ptrdiff_t>(argument.bytes) / element_bytes) +
                                          " elements. The GPU found this; it does not tell the line.");
      finding.site.access = "write";
      finding.array = argument.name;
      finding.element = element;
      reply.findings.push_back(std::move(finding));
    }
  }

  const CubinImage& image_;
  const Driver& driver_;
  DeviceHandle device_;
  const protocol::LaunchRequest& request_;
  const std::vector<Descriptor>& files_;
  std::vector<GuardedBuffer> buffers_;
};

}  // namespace

DeviceHandle enter_device(const Driver& driver, int ordinal) {
  DeviceHandle device = 0;
  Context context = nullptr;
  driver.check(driver.init(0), "cuInit");
  driver.check(driver.device_get(&device, ordinal), "cuDeviceGet");
  driver.check(driver.primary_context_flags(device, blocking_sync), "cuDevicePrimaryCtxSetFlags");
  driver.check(driver.primary_context_retain(&context, device), "cuDevicePrimaryCtxRetain");
  driver.check(driver.context_set_current(context), "cuCtxSetCurrent");
  return device;
}

DeviceSession::DeviceSession(const CubinImage& image)
    : image_(image), driver_(load_driver(image.driver)), device_(enter_device(driver_, image.device)) {}

LaunchOutcome DeviceSession::launch(const protocol::LaunchRequest& request, const std::vector<Descriptor>& files) {
  Launch launch(image_, driver_, device_, request, files);
  bool spoiled = false;
  printed_.clear();
  try {
    launch.run();
  } catch (const Trouble& trouble) {
    launch.reply.status = trouble.status;
    if (trouble.finding.empty())
      launch.reply.detail = trouble.message;
    else  // the kernel ran, and this finding stopped it
      launch.reply.findings.push_back(finding_of(trouble.finding, trouble.message));
    spoiled = trouble.spoils;
  } catch (const std::exception& error) {
    launch.reply.status = Status::internal_error;
    launch.reply.detail = error.what();
    spoiled = true;
  }
  launch.reply.printed = printed_.text();
  return {std::move(launch.reply), spoiled};
}

}  // namespace tilelab::cuda
