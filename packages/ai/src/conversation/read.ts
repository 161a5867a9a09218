import type {
  LanguageModelV4FinishReason,
  LanguageModelV4Reasoning,
  LanguageModelV4ResponseMetadata,
  LanguageModelV4StreamPart,
  LanguageModelV4Text,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage
} from "@ai-sdk/provider"
import type { AnswerEvent, AnswerPart, Finish, Sealed, Usage } from "@tollgate/protocols/Conversation"
import { countOr, type Json, objectOr } from "@tollgate/protocols/json"
import { redactedOf, writeSealed } from "@tollgate/protocols/sealed"
import type { Protocol } from "./protocols.ts"

// Answers as `ai` has them. Those of Effect are made of these.

/** The parts of a whole answer that both have. */
export type Part = LanguageModelV4Text | LanguageModelV4Reasoning | LanguageModelV4ToolCall

type Kind = "text" | "reasoning" | "tool-input"

/** The parts of a streamed answer that both have. */
export type StreamPart = Extract<
  LanguageModelV4StreamPart,
  { readonly type: "response-metadata" | "tool-call" | `${Kind}-${"start" | "delta" | "end"}` }
>

const finishes = {
  stop: "stop",
  sequence: "stop",
  length: "length",
  calls: "tool-calls",
  filter: "content-filter",
  other: "other"
} as const satisfies Record<Finish, string>

export interface Ending {
  readonly finishReason: LanguageModelV4FinishReason & { readonly unified: (typeof finishes)[Finish] }
  readonly usage: LanguageModelV4Usage
}

const usageOf = (usage: Usage, raw: Json | undefined): LanguageModelV4Usage => {
  const { cacheRead, cacheWrite, input, output, reasoning } = usage
  return {
    inputTokens: {
      total: input === undefined ? undefined : input + (cacheRead ?? 0) + (cacheWrite ?? 0),
      noCache: input,
      cacheRead,
      cacheWrite
    },
    outputTokens: {
      total: output,
      text: output === undefined || reasoning === undefined ? undefined : output - reasoning,
      reasoning
    },
    ...(raw === undefined ? {} : { raw: raw as NonNullable<LanguageModelV4Usage["raw"]> })
  }
}

const endingOf = (finish: Finish, reason: string, usage: Usage, raw: Json | undefined): Ending => ({
  finishReason: { unified: finishes[finish], raw: reason || undefined },
  usage: usageOf(usage, raw)
})

/** What protocols say of an answer, wherever they say it in an event. */
const saidOf = ({ message, response, ...event }: Json) => {
  const {
    created,
    created_at = created,
    usage,
    usageMetadata = usage
  } = {
    ...objectOr(message),
    ...objectOr(response),
    ...event
  } as Json
  return { created: created_at, usage: usageMetadata }
}

const headOf = (id: string, model: string, given: Json): LanguageModelV4ResponseMetadata => {
  const seconds = countOr(saidOf(given).created)
  return {
    ...(id === "" ? {} : { id }),
    ...(model === "" ? {} : { modelId: model }),
    ...(seconds === undefined ? {} : { timestamp: new Date(seconds * 1000) })
  }
}

/** What proves that a thought or a call is the model's own. Without it makers refuse or forget their thoughts. */
const proven = (sealed: Sealed | undefined) => {
  if (sealed === undefined) return {}
  const redacted = redactedOf(sealed, "anthropic")
  const proof = redacted === undefined ? { signature: writeSealed(sealed, "anthropic") } : { redacted }
  return { providerMetadata: { tollgate: proof } }
}

const callOf = (toolCallId: string, toolName: string, input: string, sealed: Sealed | undefined) =>
  ({ type: "tool-call", toolCallId, toolName, input: input || "{}", ...proven(sealed) }) as const

export const read = (protocol: Protocol) => {
  const reader = protocol.reader()
  let open: { readonly kind: Kind; readonly id: string; readonly name: string; text: string } | undefined
  let sealed: Sealed | undefined
  let opened = 0
  let ending: Extract<AnswerEvent, { type: "finish" }> | undefined
  let usage: Usage = {}
  let raw: Json | undefined

  const start = (event: AnswerEvent & { readonly type: "open" }): StreamPart => {
    const at = opened++
    sealed = event.part === "call" ? event.sealed : undefined
    if (event.part === "call") {
      open = { kind: "tool-input", id: event.id || `call-${at}`, name: event.name, text: "" }
      return { type: "tool-input-start", id: open.id, toolName: open.name }
    }
    const kind = event.part === "reasoning" ? "reasoning" : "text"
    open = { kind, id: `${kind}-${at}`, name: "", text: "" }
    return { type: `${kind}-start`, id: open.id }
  }
  const close = (): ReadonlyArray<StreamPart> => {
    if (open === undefined) return []
    const { id, kind, name, text } = open
    open = undefined
    if (kind === "tool-input") return [{ type: "tool-input-end", id }, callOf(id, name, text, sealed)]
    return [{ type: `${kind}-end`, id, ...proven(sealed) }]
  }
  const partsOf = (event: AnswerEvent, given: Json): ReadonlyArray<StreamPart> => {
    switch (event.type) {
      case "start":
        return [{ type: "response-metadata", ...headOf(event.id, event.model, given) }]
      case "open":
        return [...close(), start(event)]
      case "more":
        if (open === undefined) return []
        if (open.kind === "tool-input") open.text += event.text
        return [{ type: `${open.kind}-delta`, id: open.id, delta: event.text }]
      case "sealed":
        sealed = event.sealed
        return []
      case "close":
        return close()
      case "usage":
        usage = event.usage
        return []
      case "finish":
        ending = event
        return []
      case "end":
        return []
      case "error":
        throw new Error(event.message)
    }
  }
  return {
    next: (event: Json): ReadonlyArray<StreamPart> => {
      const reported = objectOr(saidOf(event).usage)
      if (Object.keys(reported).length > 0) raw = { ...raw, ...reported }
      return reader.next(event).flatMap((each) => partsOf(each, event))
    },
    close,
    ending: () => endingOf(ending?.finish ?? "other", ending?.reason ?? "", usage, raw)
  }
}

const partOf = (part: AnswerPart, at: number): ReadonlyArray<Part> => {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text === "" ? [] : [{ type: "text", text: part.text }]
    case "reasoning":
      return [{ type: "reasoning", text: part.text, ...proven(part.sealed) }]
    case "call":
      return [callOf(part.id || `call-${at}`, part.name, part.arguments, part.sealed)]
    case "own":
      return []
  }
}

export const readWhole = (protocol: Protocol, answer: Json) => {
  const { finish, id, model, parts, reason, usage } = protocol.readAnswer(answer)
  const said = saidOf(answer).usage
  const raw = said === undefined ? undefined : objectOr(said)
  return {
    content: parts.flatMap(partOf),
    head: headOf(id, model, answer),
    ...endingOf(finish, reason, usage, raw)
  }
}
