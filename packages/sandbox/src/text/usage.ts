import type { TokenUsage } from "@tollgate/contract/price/evidence"
import type { Scenario } from "../Scenario.ts"

/** What a call has read. */
export type Reading = Omit<TokenUsage, "output">

/** `marked`: how much of the prompt the caller wants kept in a cache. What was read from it is not written again. */
export const reading = (prompt: number, marked: number, scenario: Scenario): Reading => {
  const cacheRead = scenario.kind === "cached" ? Math.min(prompt, scenario.tokens) : 0
  const cacheWrite = Math.min(prompt - cacheRead, marked)
  return { input: prompt - cacheRead - cacheWrite, cacheRead, cacheWrite }
}

export const billed = ({ cacheRead, cacheWrite, input }: Reading, output: number) => ({
  input,
  output,
  cacheRead,
  cacheWrite
})
