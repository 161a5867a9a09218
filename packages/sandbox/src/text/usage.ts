import type { TokenUsage } from "@tollgate/contract/price/evidence"
import type { Scenario } from "../Scenario.ts"

/** The input tokens of a call, by kind. */
export type InputUsage = Omit<TokenUsage, "output">

/** `marked` is the part of the prompt that the caller wants cached. Tokens read from the cache are not written again. */
export const inputUsage = (prompt: number, marked: number, scenario: Scenario): InputUsage => {
  const cacheRead = scenario.kind === "cached" ? Math.min(prompt, scenario.tokens) : 0
  const cacheWrite = Math.min(prompt - cacheRead, marked)
  return { input: prompt - cacheRead - cacheWrite, cacheRead, cacheWrite }
}

export const billed = ({ cacheRead, cacheWrite, input }: InputUsage, output: number) => ({
  input,
  output,
  cacheRead,
  cacheWrite
})
