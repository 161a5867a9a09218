import { read } from "@tollgate/contract/price/exact"
import { noTokens } from "@tollgate/contract/price/TokenKind"
import type { ReportedPart, ReportedUsage } from "../Protocol.ts"
import {
  countAt,
  detailsWithin,
  impossibleCounts,
  type Known,
  nameAt,
  readCounts,
  tierNamed,
  thought,
  unknownFields,
  withGaps
} from "./fields.ts"

const paths = {
  input: ["input_tokens"],
  output: ["output_tokens"],
  cacheRead: ["cache_read_input_tokens"],
  cacheWrite: ["cache_creation_input_tokens"]
} as const

const counted: Known = {
  input_tokens: true,
  output_tokens: true,
  cache_read_input_tokens: true,
  cache_creation_input_tokens: true,
  cache_creation: { ephemeral_5m_input_tokens: true, ephemeral_1h_input_tokens: true },
  output_tokens_details: { thinking_tokens: true }
}

const known: Known = {
  ...counted,
  server_tool_use: { web_search_requests: true, web_fetch_requests: true, code_execution_requests: true },
  iterations: true,
  service_tier: true,
  speed: true,
  inference_geo: true
}

const usesIn = (usage: unknown): Pick<ReportedUsage, "uses"> => {
  const tools = read(usage, ["server_tool_use"])
  if (tools === undefined || tools === null) return {}
  const uses = Object.fromEntries(
    ["web_search", "web_fetch", "code_execution"].flatMap((tool) => {
      const count = countAt(tools, `${tool}_requests`)
      return count === 0 ? [] : [[tool, count]]
    })
  )
  return Object.keys(uses).length === 0 ? {} : { uses }
}

const longWrites = (usage: unknown, base: ReportedUsage) =>
  detailsWithin(base, { cacheWriteLong: countAt(usage, "cache_creation", "ephemeral_1h_input_tokens") })

/** The tokens of one run. `undefined`: an impossible count. */
const tokensIn = (usage: unknown): ReportedUsage | undefined => {
  const base = readCounts(usage, paths)
  return base && { ...base, ...longWrites(usage, base) }
}

const region = (usage: unknown): Pick<ReportedUsage, "region"> => {
  const name = nameAt(usage, "inference_geo")?.toLowerCase()
  return name === undefined || name === "global" || name === "not_available" ? {} : { region: name }
}

const speed = (usage: unknown): Pick<ReportedUsage, "speed"> => {
  const name = nameAt(usage, "speed")?.toLowerCase()
  return name === undefined || name === "standard" ? {} : { speed: name }
}

/** An attempt that was declined reports a token of output at most. It is not billed. */
const isDeclined = ({ output = 0 }: ReportedUsage): boolean => output <= 1

const mostIterations = 1_000

interface Iteration {
  readonly type: string
  readonly model: string | undefined
  readonly usage: ReportedUsage | undefined
}

const iterationsIn = (usage: unknown): ReadonlyArray<Iteration> => {
  const list = read(usage, ["iterations"])
  if (!Array.isArray(list)) return []
  return list.slice(0, mostIterations).map((item: unknown) => ({
    type: nameAt(item, "type") ?? "?",
    model: nameAt(item, "model"),
    usage: tokensIn(item)
  }))
}

const partOf = ({ model, usage = {} }: Iteration): ReportedPart => {
  const { details, gaps: _, ...tokens } = usage
  return { model, usage: { ...noTokens, ...tokens }, ...(details === undefined ? {} : { details }) }
}

/**
 * Runs that the top level does not count. It is the sum of the messages, or, after a fallback, the attempt that answered:
 * attempts before that are listed too, and free if they were declined before any output.
 */
const partsOf = (usage: unknown): Pick<ReportedUsage, "parts" | "gaps"> => {
  const iterations = iterationsIn(usage)
  if (iterations.length === 0) return {}
  const listed = read(usage, ["iterations"])
  const answered = iterations.findLastIndex(({ type }) => type === "fallback_message")
  const parts: Array<ReportedPart> = []
  const gaps: Array<string> = Array.isArray(listed) && listed.length > mostIterations ? ["usage.iterations"] : []
  iterations.forEach((iteration, i) => {
    const { type } = iteration
    if (iteration.usage === undefined) {
      gaps.push(`usage.iterations.${i}`)
      return
    }
    const isAttempt = type === "message" || type === "fallback_message"
    if (isAttempt) {
      const isCounted = i >= answered
      if (!isCounted && !isDeclined(iteration.usage)) parts.push(partOf(iteration))
      return
    }
    if (type !== "compaction" && type !== "advisor_message") gaps.push(`usage.iterations.${type.slice(0, 40)}`)
    parts.push(partOf(iteration))
  })
  return { ...(parts.length === 0 ? {} : { parts }), ...(gaps.length === 0 ? {} : { gaps }) }
}

/** The names of main counts that are impossible, so that none is trusted. */
export const impossibleIn = (usage: unknown): ReadonlyArray<string> => impossibleCounts(usage, paths, "usage")

/** `undefined`: an impossible count. */
export const parseUsage = (usage: unknown): ReportedUsage | undefined => {
  const base = tokensIn(usage)
  if (base === undefined) return undefined
  const { gaps = [], ...parts } = partsOf(usage)
  return withGaps(
    {
      ...base,
      ...thought(countAt(usage, "output_tokens_details", "thinking_tokens")),
      ...tierNamed(nameAt(usage, "service_tier")),
      ...speed(usage),
      ...region(usage),
      ...usesIn(usage),
      ...parts
    },
    [...gaps, ...unknownFields(usage, known)]
  )
}

/** A request that was refused before any output is not billed, though it reports tokens. What else ran is. */
export const declined = (usage: ReportedUsage): ReportedUsage => {
  const { details: _, uses: __, ...rest } = usage
  return { ...rest, ...noTokens }
}

/** Code runs under several names. */
const serverTool = (name: string | undefined): string | undefined =>
  name?.endsWith("code_execution") === true ? "code_execution" : name

/** No provider has more tools. */
const mostTools = 100

/** Counts a block of the answer that is a use of this tool. */
export const countUse = (uses: Record<string, number>, name: string | undefined): void => {
  const tool = serverTool(name)
  if (tool !== undefined && (Object.hasOwn(uses, tool) || Object.keys(uses).length < mostTools)) {
    uses[tool] = (Object.hasOwn(uses, tool) ? (uses[tool] ?? 0) : 0) + 1
  }
}

/** Uses that were counted, of tools that the usage does not count. */
export const withCounted = (
  counted: Readonly<Record<string, number>>,
  reported: ReportedUsage["uses"]
): Pick<ReportedUsage, "uses"> => {
  const others = Object.entries(counted).filter(([tool]) => reported?.[tool] === undefined)
  return others.length === 0 ? {} : { uses: { ...reported, ...Object.fromEntries(others) } }
}

const countedUses = (answer: unknown, reported: ReportedUsage["uses"]): Pick<ReportedUsage, "uses"> => {
  const content = read(answer, ["content"])
  if (!Array.isArray(content)) return {}
  const uses: Record<string, number> = {}
  for (const block of content) {
    if (read(block, ["type"]) === "server_tool_use") countUse(uses, nameAt(block, "name"))
  }
  return withCounted(uses, reported)
}

const isEmpty = (content: unknown): boolean => Array.isArray(content) && content.length === 0

/** All that a whole message reports. */
export const usageOf = (answer: unknown): ReportedUsage | undefined => {
  const usage = parseUsage(read(answer, ["usage"]))
  if (usage === undefined) return undefined
  const isDeclined = read(answer, ["stop_reason"]) === "refusal" && isEmpty(read(answer, ["content"]))
  const model = nameAt(answer, "model")
  return {
    ...(isDeclined ? declined(usage) : { ...usage, ...countedUses(answer, usage.uses) }),
    ...(model === undefined ? {} : { model })
  }
}
