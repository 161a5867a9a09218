import { listWords } from "@tollgate/contract/callWords"
import type { LoggedCall } from "@tollgate/contract/account/LoggedCall"
import { expect, it } from "vitest"
import { callColumns } from "../src/pages/calls/callCsv.ts"
import { csvOf } from "../src/ui/csv.ts"

const call: LoggedCall = {
  id: "req_1",
  key: "key_1",
  key_label: "=batch",
  operation: "rerank",
  model: null,
  state: "settled",
  failed: true,
  status: 201,
  cost_state: "estimated",
  value_micros_usd: 9,
  charged_micros_usd: "9007199254740993",
  charged_nano_usd: "7000",
  refunded_micros_usd: 5,
  input_tokens: 11,
  output_tokens: 12,
  kept: false,
  upstream: "second",
  error: { code: "odd", message: "It was odd." },
  created_at: "1970-01-01T00:00:00.000Z",
  ended_at: null,
  tags: { team: "search", job: "nightly" }
}

it("the file of calls has every field that a caller may see, exactly", () => {
  const [head = "", row = ""] = csvOf(callColumns, [call]).split("\r\n")
  const names = head.split(",")
  for (const name of Object.keys(listWords)) {
    expect(names.filter((column) => column === name || column.startsWith(`${name}_`))).not.toHaveLength(0)
  }
  const cells = row.replace('"team=search,job=nightly"', "TAGS").split(",")
  expect(Object.fromEntries(names.map((name, i) => [name, cells[i]]))).toEqual({
    ...Object.fromEntries(
      Object.entries(call).flatMap(([name, value]) => (name === "error" ? [] : [[name, String(value ?? "")]]))
    ),
    key_label: "'=batch",
    tags: "TAGS",
    value_usd: "0.000009",
    charged_usd: "9007199254.740993",
    refunded_usd: "0.000005",
    error_code: "odd",
    error_message: "It was odd."
  })
})
