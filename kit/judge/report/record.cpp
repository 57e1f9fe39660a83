#include "judge/report/record.hpp"

#include "protocol/json/json_text.hpp"
#include "protocol/message_fields.hpp"

namespace tilelab::judge {

using nlohmann::json;

TILELAB_MESSAGE(WrongElement, TILELAB_NEEDS(row, column, expected, got))
TILELAB_MESSAGE(Mismatch, TILELAB_NEEDS(output, rows, columns, wrong, unwritten, first, tile_rows, tile_columns, picture, cell_rows,
                                        cell_columns, summary))
TILELAB_MESSAGE(Explanation, TILELAB_NEEDS(mistake, sentence, advice))

void to_json(json& value, const LaunchRecord& launch) {
  value = {{"shape", launch.shape},     {"inputs", launch.inputs},     {"verdict", name(launch.verdict)},
           {"message", launch.message}, {"counters", launch.counters}, {"printed", launch.printed}};
  if (launch.config) value.update(json(*launch.config));
  value["findings"] = launch.findings;
  if (launch.mismatch) value["mismatch"] = *launch.mismatch;
  if (launch.traffic) {
    value["traffic"] = *launch.traffic;
    value["traffic"]["work_unit"] = launch.work.unit;
    value["traffic"]["work"] = launch.work.amount;
    value["traffic"]["compulsory_bytes"] = launch.work.compulsory_bytes;
  }
  if (!launch.program.is_null()) value["program"] = launch.program;
  if (launch.explanation) value["explanation"] = *launch.explanation;
}

void to_json(json& value, const CaseRecord& record) {
  value = {{"name", record.name},       {"tags", record.tags},        {"passed", record.passed}, {"verdict", name(record.verdict)},
           {"message", record.message}, {"launches", record.launches}};
}

std::string report_text(const std::vector<CaseRecord>& cases) { return json_text(json{{"cases", cases}}, 1) + "\n"; }

}  // namespace tilelab::judge
