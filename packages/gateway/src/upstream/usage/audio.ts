import { isTokenCount } from "@tollgate/contract/price/evidence"
import { read } from "@tollgate/contract/price/exact"
import { usageTable } from "@tollgate/protocols/usage"
import type { ReportedUsage } from "../Protocol.ts"
import { impossibleIn, reportedIn } from "./fields.ts"

const table = usageTable({
  at: "usage",
  answer: {},
  counts: { input: "input_tokens", output: "output_tokens" },
  parts: { audioInput: "input_token_details.audio_tokens" },
  others: ["seconds", "total_tokens", "input_token_details.text_tokens"]
})

/** Each second that has begun, where OpenAI, or in the long form everybody, reports them. */
const secondsIn = (answer: unknown): number | undefined => {
  const reported = read(answer, ["usage", "seconds"]) ?? read(answer, ["duration"])
  const seconds = typeof reported === "number" ? Math.ceil(reported) : undefined
  return isTokenCount(seconds) ? seconds : undefined
}

/** What a transcription used: tokens, or seconds of sound. `undefined`: it does not say. */
export const usageOf = (answer: unknown): ReportedUsage | undefined => {
  const report = read(answer, ["usage"])
  if (impossibleIn(table, report).length > 0) return undefined
  const { input, ...usage } = reportedIn(table, report) ?? {}
  const seconds = secondsIn(answer)
  if (input === undefined && seconds === undefined) return undefined
  const all = { output: 0, cacheRead: 0, cacheWrite: 0, ...usage, input: input ?? 0 }
  return seconds === undefined ? all : { ...all, uses: { audio_second: seconds } }
}
