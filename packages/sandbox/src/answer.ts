import * as Utf8 from "@tollgate/contract/Utf8"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import type { Scenario } from "./Scenario.ts"
import type { Streamed, BilledAnswer } from "./BilledAnswer.ts"

const broken = Stream.fail("connection broken by the scenario")

const withoutUsage = ({ meta: _, usage: __, usageMetadata: ___, ...body }: Readonly<Record<string, unknown>>) => body

/** An answer that is not a stream, changed or broken by the scenario. */
export const answer = (
  scenario: Scenario,
  result: Exclude<BilledAnswer, Streamed>
): HttpServerResponse.HttpServerResponse => {
  const { headers = {}, status = 200 } = result
  const contentType = "body" in result ? "application/json" : result.contentType
  const options = { headers, status, contentType }
  if (scenario.kind === "reset") return HttpServerResponse.stream(broken, options)
  if ("bytes" in result) {
    const { bytes } = result
    return HttpServerResponse.uint8Array(
      scenario.kind === "truncated" ? bytes.slice(0, bytes.length / 2) : bytes,
      options
    )
  }
  const text = JSON.stringify(scenario.kind === "no-usage" ? withoutUsage(result.body) : result.body)
  return HttpServerResponse.uint8Array(
    Utf8.encode(scenario.kind === "truncated" ? text.slice(0, text.length / 2) : text),
    options
  )
}
