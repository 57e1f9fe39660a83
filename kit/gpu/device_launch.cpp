// One launch on a GPU, and the process that makes it.
#include "gpu/device_launch.hpp"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "protocol/json/json_text.hpp"
#include "runner/child_end.hpp"
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
      protocol::Finding finding = protocol::error_finding(
          "out-of-bounds", "A thread writes " + where + argument.name + ", at " + element + ", where " + argument.name + " has " +
                               std::to_string(static_cast<std::ptrdiff_t>(argument.bytes) / element_bytes) +
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

[[noreturn]] void serve(const CubinImage& image, Channel channel) {
  std::optional<DeviceSession> session;
  try {
    session.emplace(image);
    channel.send(json_text({{"trouble", ""}}));
  } catch (const std::exception& error) {
    channel.send(json_text({{"trouble", error.what()}}));
    _exit(1);
  }
  try {
    for (;;) {
      const Frame frame = channel.receive();
      const auto request = json_from(frame.text).get<protocol::LaunchRequest>();
      const LaunchOutcome outcome = session->launch(request, frame.descriptors);
      channel.send(json_text({{"reply", outcome.reply}, {"spoiled", outcome.spoiled}}));
      if (outcome.spoiled) _exit(0);
    }
  } catch (const std::exception&) {
    _exit(0);  // the parent has ended
  }
}

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
      launch.reply.findings.push_back(protocol::error_finding(trouble.finding, trouble.message));
    spoiled = trouble.spoils;
  } catch (const std::exception& error) {
    launch.reply.status = Status::internal_error;
    launch.reply.detail = error.what();
    spoiled = true;
  }
  launch.reply.printed = printed_.text();
  return {std::move(launch.reply), spoiled};
}

// --- Parent and child talk over a socket pair, one frame in each direction. The child first says that its context is ready, or why
// not. Then it answers requests with {"reply": …, "spoiled": …}. On machines where GPU and processor share memory, a kernel might
// change the child's memory. So the parent trusts the child no more than a judge trusts a runner.

struct LaunchWorker::Process {
  pid_t pid = -1;
  ChildEnd ended = ChildEnd::exit;
  Channel channel{Descriptor()};

  explicit Process(const CubinImage& image) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      throw std::system_error(errno, std::generic_category(), "no socket for the launches");
    }
    channel = Channel(Descriptor(ends[0]));
    Descriptor theirs(ends[1]);
    pid = fork();
    if (pid < 0) throw std::system_error(errno, std::generic_category(), "no process for the launches");
    if (pid != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    channel = Channel(Descriptor());
    close(protocol::socket_descriptor);  // only the parent talks to the judge
    serve(image, Channel(std::move(theirs)));
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  ~Process() {
    if (pid > 0) kill(pid, SIGKILL);
  }

  std::string end_in_words() {
    for (int tries = 0; tries < 1000; ++tries) {
      int status = 0;
      if (waitpid(pid, &status, WNOHANG) == pid) {
        pid = 0;  // after waitpid, the number may belong to another process
        ended = how_ended(status);
        return tilelab::end_in_words(status);
      }
      usleep(1000);
    }
    return "did not end";
  }
};

LaunchWorker::LaunchWorker(const CubinImage& image, std::chrono::milliseconds patience) : image_(image), patience_(patience) {}

LaunchWorker::~LaunchWorker() = default;

// A process whose kernel hangs may take a while to leave the GPU. It is reaped after that, and nobody waits for it.
void LaunchWorker::end_process() {
  if (process_ && process_->pid > 0) ending_.push_back(process_->pid);
  process_.reset();
}

void LaunchWorker::reap() {
  const auto is_gone = [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) != 0; };
  std::erase_if(ending_, is_gone);
  if (process_ && is_gone(process_->pid)) {  // it died between launches, so no launch is to blame
    process_->pid = 0;
    process_.reset();
  }
}

std::string LaunchWorker::answer(const Frame& frame) {
  const auto request = json_from(frame.text).get<protocol::LaunchRequest>();
  reap();
  try {
    if (!process_) {
      process_ = std::make_unique<Process>(image_);
      const auto hello = json_from(process_->channel.receive(static_cast<int>(patience_.count())).text);
      if (const auto trouble = hello.at("trouble").get<std::string>(); !trouble.empty()) throw DriverError(trouble);
    }
  } catch (const std::exception& error) {
    end_process();
    return json_text(plain_reply(Status::internal_error, std::string("the GPU cannot be used: ") + error.what()));
  }
  try {
    std::vector<int> files;
    for (const Descriptor& file : frame.descriptors) files.push_back(file.get());
    process_->channel.send(frame.text, files);
    const auto said = json_from(process_->channel.receive(static_cast<int>(request.clock_ms)).text);
    const std::string reply = json_text(said.at("reply"));
    if (said.at("spoiled").get<bool>()) end_process();
    return reply;
  } catch (const ChannelTimeout&) {
    end_process();
    return json_text(plain_reply(Status::timeout, "The kernel did not end within " + std::to_string(request.clock_ms) + " ms on the GPU."));
  } catch (const ChannelError&) {
    const std::string end = process_->end_in_words();
    const Status status = status_of_ours(process_->ended);
    end_process();
    return json_text(plain_reply(status, "The process that used the GPU " + end + "."));
  } catch (const nlohmann::json::exception&) {
    end_process();
    return json_text(plain_reply(Status::crash, "The process that used the GPU sent an invalid answer."));
  }
}

}  // namespace tilelab::cuda
