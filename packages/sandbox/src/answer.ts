import * as Utf8 from "@tollgate/contract/Utf8"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import type { Scenario } from "./Scenario.ts"
import type { Streamed, Work } from "./Work.ts"

const broken = Stream.fail("connection broken by the scenario")

const withoutUsage = ({ usage: _, usageMetadata: __, ...body }: Readonly<Record<string, unknown>>) => body

/** An answer that is not a stream, changed or broken by the scenario. */
export const answer = (scenario: Scenario, work: Exclude<Work, Streamed>): HttpServerResponse.HttpServerResponse => {
  const { headers = {}, status = 200 } = work
  const contentType = "body" in work ? "application/json" : work.contentType
  const options = { headers, status, contentType }
  if (scenario.kind === "reset") return HttpServerResponse.stream(broken, options)
  if ("bytes" in work) {
    const { bytes } = work
    return HttpServerResponse.uint8Array(
      scenario.kind === "truncated" ? bytes.slice(0, bytes.length / 2) : bytes,
      options
    )
  }
  const text = JSON.stringify(scenario.kind === "no-usage" ? withoutUsage(work.body) : work.body)
  return HttpServerResponse.uint8Array(
    Utf8.encode(scenario.kind === "truncated" ? text.slice(0, text.length / 2) : text),
    options
  )
}
