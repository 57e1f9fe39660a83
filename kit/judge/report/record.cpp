#include "judge/report/record.hpp"
#include "protocol/json/json_text.hpp"

namespace tilelab::judge {
namespace {

using nlohmann::json;

json extent(const protocol::Extent& extent) { return json::array({extent.x, extent.y, extent.z}); }

void set_unless_empty(json& value, const char* key, const std::string& text) {
  if (!text.empty()) value[key] = text;
}

json site_json(const protocol::Site& site) {
  json value = json::object();
  set_unless_empty(value, "file", site.file);
  if (site.line > 0) value["line"] = site.line;
  set_unless_empty(value, "function", site.function);
  set_unless_empty(value, "access", site.access);
  if (site.block) value["block"] = *site.block;
  if (site.thread) value["thread"] = *site.thread;
  return value;
}

json finding_json(const protocol::Finding& finding) {
  json value = site_json(finding.site);
  value["kind"] = finding.kind;
  value["severity"] = finding.severity;
  value["message"] = finding.message;
  set_unless_empty(value, "array", finding.array);
  set_unless_empty(value, "element", finding.element);
  if (finding.other) value["other"] = site_json(*finding.other);
  value["count"] = finding.count;
  return value;
}

json mismatch_json(const Mismatch& mismatch) {
  json first = json::array();
  for (const WrongElement& element : mismatch.first) {
    json one{{"row", element.row}, {"column", element.column}};
    one["expected"] = element.expected ? json(*element.expected) : json();
    one["got"] = element.got ? json(*element.got) : json();
    first.push_back(std::move(one));
  }
  return {{"output", mismatch.output},
          {"rows", mismatch.rows},
          {"columns", mismatch.columns},
          {"wrong", mismatch.wrong},
          {"unwritten", mismatch.unwritten},
          {"first", std::move(first)},
          {"tile_rows", mismatch.tile.rows},
          {"tile_columns", mismatch.tile.columns},
          {"picture", mismatch.picture},
          {"cell_rows", mismatch.cell.rows},
          {"cell_columns", mismatch.cell.columns},
          {"summary", mismatch.summary}};
}

}  // namespace

void to_json(json& value, const LaunchRecord& launch) {
  value = {{"shape", launch.shape},     {"inputs", launch.inputs},     {"verdict", name(launch.verdict)},
           {"message", launch.message}, {"counters", launch.counters}, {"printed", launch.printed}};
  if (launch.config) {
    value["grid"] = extent(launch.config->grid);
    value["block"] = extent(launch.config->block);
    value["shared_bytes"] = launch.config->shared_bytes;
  }
  json findings = json::array();
  for (const protocol::Finding& finding : launch.findings) findings.push_back(finding_json(finding));
  value["findings"] = std::move(findings);
  if (launch.mismatch) value["mismatch"] = mismatch_json(*launch.mismatch);
  if (launch.traffic) {
    value["traffic"] = *launch.traffic;
    value["traffic"]["work_unit"] = launch.work.unit;
    value["traffic"]["work"] = launch.work.amount;
    value["traffic"]["compulsory_bytes"] = launch.work.compulsory_bytes;
  }
  if (!launch.program.is_null()) value["program"] = launch.program;
  if (launch.explanation) {
    value["explanation"] = {
        {"mistake", launch.explanation->mistake}, {"sentence", launch.explanation->sentence}, {"advice", launch.explanation->advice}};
  }
}

void to_json(json& value, const CaseRecord& record) {
  value = {{"name", record.name},       {"tags", record.tags},        {"passed", record.passed}, {"verdict", name(record.verdict)},
           {"message", record.message}, {"launches", record.launches}};
}

std::string report_text(const std::vector<CaseRecord>& cases) { return json_text(json{{"cases", cases}}, 1) + "\n"; }

}  // namespace tilelab::judge
