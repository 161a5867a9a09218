import { countTokens as countOperation } from "@tollgate/contract/operations/countTokens"
import { messages as operation } from "@tollgate/contract/operations/messages"
import { codecs } from "@tollgate/protocols"
import { answerer, counter, type Dialect, type Generation } from "../model/answerer.ts"
import { type Fields, fieldsOf, thinkingTokens, wrong } from "../model/request.ts"
import { anthropic } from "../wire/refusal.ts"

const thinkingOf = ({ replies: [reply] }: Generation): Fields => {
  const tokens = reply?.thought.tokens ?? 0
  return tokens === 0 ? {} : { output_tokens_details: { thinking_tokens: tokens } }
}

const dialect: Dialect = {
  codec: codecs.messages,
  operation: operation.id,
  failure: { event: "error", data: JSON.stringify(anthropic({ status: 529, message: "Overloaded" })), tokens: 0 },
  ids: ["msg_", "toolu_"],
  refuse: ({ limit, messages, reasoning }, body) => {
    if (limit === undefined) return wrong("max_tokens", "is required")
    if (messages.some(({ role }) => role === "system")) return wrong("messages", "Input is not valid for this field")
    const { budget_tokens: budget, type = "disabled" } = fieldsOf(body["thinking"])
    if (!["enabled", "adaptive", "disabled", "between_tools"].includes(String(type)))
      return wrong("thinking", "unknown")
    if (reasoning?.effort === "none" || reasoning?.effort === "minimal") return wrong("output_config.effort", "unknown")
    if (type !== "enabled") return undefined
    if (!Number.isInteger(budget) || Number(budget) < 1024)
      return wrong("thinking.budget_tokens", "must be at least 1024")
    return Number(budget) < limit ? undefined : wrong("max_tokens", "must be greater than thinking.budget_tokens")
  },
  // An effort alone is not for thinking.
  thinking: (conversation) => {
    const { budget, isAdaptive } = conversation.reasoning ?? {}
    return budget === undefined && isAdaptive !== true ? 0 : thinkingTokens(conversation, 0)
  },
  hasEmptyThought: true,
  seal: ({ id }) => ({ by: "anthropic", data: `sig_${id}` }),
  caches: true,
  ping: { event: "ping", data: '{"type":"ping"}', tokens: 0 },
  whole: (answer, { generation }) => ({
    ...answer,
    usage: { ...fieldsOf(answer["usage"]), ...thinkingOf(generation), service_tier: "standard" }
  }),
  event: (event, { generation }) => {
    const { message, type, usage } = event
    if (type === "message_start") {
      const { usage: begun, ...rest } = fieldsOf(message)
      const told = { ...fieldsOf(begun), service_tier: "standard" }
      return { ...event, message: generation.hidesUsage ? rest : { ...rest, usage: told } }
    }
    if (type !== "message_delta") return event
    const told = { output_tokens: fieldsOf(usage)["output_tokens"], ...thinkingOf(generation) }
    return { ...event, usage: generation.hidesUsage ? undefined : told }
  }
}

export const messages = answerer(dialect)

/** Counts what `messages` would report as input. Free. */
export const countTokens = counter(dialect, countOperation.id, (input_tokens) => ({ input_tokens }))
