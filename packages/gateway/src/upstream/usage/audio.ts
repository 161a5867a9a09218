import { isTokenCount } from "@tollgate/contract/price/evidence"
import { read } from "@tollgate/contract/price/exact"
import type { ReportedUsage } from "../Protocol.ts"
import { countAt, detailsWithin, impossibleCounts, readCounts } from "./fields.ts"

const paths = { input: ["input_tokens"], output: ["output_tokens"] } as const

/** Each second that has begun, where OpenAI, or in the long form everybody, reports them. */
const secondsIn = (answer: unknown): number | undefined => {
  const reported = read(answer, ["usage", "seconds"]) ?? read(answer, ["duration"])
  const seconds = typeof reported === "number" ? Math.ceil(reported) : undefined
  return isTokenCount(seconds) ? seconds : undefined
}

/** The names of counts that are impossible. */
export const impossibleIn = (answer: unknown): ReadonlyArray<string> =>
  impossibleCounts(read(answer, ["usage"]), paths, "usage")

/** What a transcription used: tokens, or seconds of sound. `undefined`: it does not say. */
export const usageOf = (answer: unknown): ReportedUsage | undefined => {
  const usage = read(answer, ["usage"])
  const counts = readCounts(usage, paths)
  const seconds = secondsIn(answer)
  if (counts === undefined || (counts.input === undefined && seconds === undefined)) return undefined
  const base = { input: counts.input ?? 0, output: counts.output ?? 0, cacheRead: 0, cacheWrite: 0 }
  const media = detailsWithin(base, { audioInput: countAt(usage, "input_token_details", "audio_tokens") })
  return { ...base, ...media, ...(seconds === undefined ? {} : { uses: { audio_second: seconds } }) }
}
