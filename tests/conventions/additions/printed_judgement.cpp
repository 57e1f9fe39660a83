// Prints what the judge writes of the made-up launch: from findings to messages, a runner's reply and a judged launch.
#include <iostream>

#include "judge/decision/answer_record.cpp"
#include "judge/process/reply_check.cpp"
#include "judge/report/record.cpp"
#include "made_up_launch.hpp"
#include "runner/report/finding_messages.cpp"

using namespace tilelab;

int main() {
  Image image;
  image.files = {"kernel.cu"};
  image.lines = {{10, 1, 0}, {20, 2, 0}};
  protocol::LaunchReply reply;
  reply.status = protocol::Status::completed;
  reply.findings = finding_messages(findings_of_a_launch(), image, {{1, 1, 1}, {64, 1, 1}});
  judge::LaunchRecord record;
  record.shape = "N=64";
  judge::take_answer(record, {.kind = judge::Answer::Kind::reply, .text = nlohmann::json(reply).dump()});
  record.message = judge::reason(record);
  std::cout << nlohmann::json(record);
}
