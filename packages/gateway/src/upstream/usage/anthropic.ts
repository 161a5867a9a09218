import { read } from "@tollgate/contract/price/exact"
import { eachKind } from "@tollgate/contract/price/TokenKind"
import { messagesUsage } from "@tollgate/protocols/messages/usage"
import { countAt } from "@tollgate/protocols/usage"
import type { ReportedPart, ReportedUsage } from "../Protocol.ts"
import { nameAt, reportedIn } from "./fields.ts"

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
    usage: reportedIn(messagesUsage, item)
  }))
}

const partOf = ({ model, usage = {} }: Iteration): ReportedPart => {
  const { details } = usage
  return { model, usage: eachKind((kind) => usage[kind] ?? 0), ...(details === undefined ? {} : { details }) }
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

/** Tools that ran, and other runs. */
export const extrasIn = (usage: unknown): Pick<ReportedUsage, "uses" | "parts" | "gaps"> => ({
  ...usesIn(usage),
  ...partsOf(usage)
})
