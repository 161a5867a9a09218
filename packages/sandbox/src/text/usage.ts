import type { TokenUsage } from "@tollgate/contract/price/evidence"
import type { Scenario } from "../Scenario.ts"

/** How many tokens a model thinks, by the effort that is asked of it. */
export const effort = { none: 0, minimal: 16, low: 32, medium: 64, high: 128, xhigh: 256, max: 512 } as const

/** Tokens of a message in addition to its text. */
export const perMessage = 3

/** Tokens of an image or another part that is not text. No part has fewer bytes than this. */
export const perMedia = 8

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
