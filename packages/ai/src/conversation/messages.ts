import { usageOf } from "@tollgate/client"
import {
  type AnswerPart,
  type Conversation,
  type Delta,
  type Effort,
  type FilePart,
  type Finish,
  type Ignored,
  type Json,
  type Message,
  type Proof,
  type Protocol,
  type TextPart,
  Unsupported
} from "./Conversation.ts"
import { argumentsOf, count, defined, list, object, text } from "./parts.ts"

const finishes: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  pause_turn: "pause",
  refusal: "content-filter"
}

/** The protocol requires a limit. */
const defaultOutput = 4096

/** Tokens that the model may think. They are added to the limit of the answer. */
const thinking: Readonly<Record<Exclude<Effort, "none">, number>> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768
}

const sourceOf = ({ data, mediaType }: FilePart): Json => {
  if ("text" in data) return { type: "text", media_type: "text/plain", data: data.text }
  return "url" in data ? { type: "url", url: data.url } : { type: "base64", media_type: mediaType, data: data.base64 }
}

const contentPart = (part: TextPart | FilePart): Json => {
  if (part.type === "text") return { type: "text", text: part.text }
  if (part.mediaType.startsWith("image/")) return { type: "image", source: sourceOf(part) }
  if (part.mediaType !== "application/pdf" && !("text" in part.data))
    throw new Unsupported(`a file of type ${part.mediaType}`)
  return defined({ type: "document", source: sourceOf(part), title: part.name })
}

const thought = (part: { readonly text: string; readonly proof?: Proof | undefined }): ReadonlyArray<Json> => {
  const { proof } = part
  if (proof === undefined) return []
  return "redacted" in proof
    ? [{ type: "redacted_thinking", data: proof.redacted }]
    : [{ type: "thinking", thinking: part.text, signature: proof.signature }]
}

const answerPart = (part: AnswerPart): ReadonlyArray<Json> => {
  switch (part.type) {
    case "text":
      // Anthropic refuses empty ones.
      return part.text === "" ? [] : [{ type: "text", text: part.text }]
    case "reasoning":
      return thought(part)
    case "call":
      return [{ type: "tool_use", id: part.id, name: part.name, input: object(argumentsOf(part.arguments)) }]
  }
}

const resultOf = (content: ReadonlyArray<TextPart | FilePart>): unknown => {
  const [only] = content
  return content.length === 1 && only?.type === "text" ? only.text : content.map(contentPart)
}

interface Turn {
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<Json>
}

const turnOf = (message: Exclude<Message, { readonly role: "system" }>): Turn => {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.parts.map(contentPart) }
    case "assistant":
      return { role: "assistant", content: message.parts.flatMap(answerPart) }
    case "tool":
      return {
        role: "user",
        content: message.results.map(({ content, id, isError }) => ({
          type: "tool_result",
          tool_use_id: id,
          content: resultOf(content),
          ...(isError ? { is_error: true } : {})
        }))
      }
  }
}

/** Neighbours of one role become one turn. */
const turnsOf = (messages: ReadonlyArray<Message>): ReadonlyArray<Turn> => {
  const turns: Array<Turn> = []
  for (const message of messages) {
    if (message.role === "system") continue
    const turn = turnOf(message)
    const last = turns.at(-1)
    if (turn.content.length === 0) continue
    if (last?.role === turn.role) turns[turns.length - 1] = { ...last, content: [...last.content, ...turn.content] }
    else turns.push(turn)
  }
  return turns
}

const choices = { auto: { type: "auto" }, none: { type: "none" }, required: { type: "any" } } as const

const choiceOf = (choice: Conversation["toolChoice"]): unknown => {
  if (choice === undefined) return undefined
  return typeof choice === "object" ? { type: "tool", name: choice.name } : choices[choice]
}

const ignoredIn = (conversation: Conversation, thinks: boolean): ReadonlyArray<Ignored> => {
  const given = (settings: ReadonlyArray<keyof Conversation>, why?: string): ReadonlyArray<Ignored> =>
    settings
      .filter((setting) => conversation[setting] !== undefined)
      .map((setting) => ({ setting, ...(why === undefined ? {} : { why }) }))
  return [
    ...given(["presencePenalty", "frequencyPenalty", "seed"]),
    ...(thinks ? given(["temperature", "topK"], "The model thinks") : []),
    ...(conversation.format !== undefined && conversation.format.schema === undefined
      ? given(["format"], "JSON needs a schema")
      : [])
  ]
}

const write = (conversation: Conversation) => {
  const { effort, format, maxOutputTokens = defaultOutput, messages, model, tools = [] } = conversation
  const system = messages.flatMap((message) => (message.role === "system" ? [message.text] : []))
  const budget = effort === undefined || effort === "none" ? undefined : thinking[effort]
  const schema = format?.schema
  return {
    ignored: ignoredIn(conversation, budget !== undefined),
    input: defined({
      model,
      max_tokens: maxOutputTokens + (budget ?? 0),
      messages: turnsOf(messages),
      system: system.length === 0 ? undefined : system.map((said) => ({ type: "text", text: said })),
      temperature: budget === undefined ? conversation.temperature : undefined,
      top_p: conversation.topP,
      top_k: budget === undefined ? conversation.topK : undefined,
      stop_sequences: conversation.stop,
      thinking: budget === undefined ? undefined : { type: "enabled", budget_tokens: budget },
      output_config: schema === undefined ? undefined : { format: { type: "json_schema", schema } },
      ...(tools.length === 0
        ? {}
        : {
            tools: tools.map(({ description, name, schema, strict }) =>
              defined({ name, description, input_schema: schema, strict })
            ),
            tool_choice: choiceOf(conversation.toolChoice)
          })
    })
  }
}

type Block =
  | { readonly type: "text" }
  | { readonly type: "reasoning"; signature: string; readonly redacted: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; written: string }

const reader: Protocol["reader"] = () => {
  const blocks = new Map<unknown, Block>()
  let reason: string | undefined
  let usage: ReturnType<typeof usageOf> = {}
  let raw: Json = {}

  const begin = (index: unknown, given: Json): ReadonlyArray<Delta> => {
    const id = String(index)
    switch (given["type"]) {
      case "text":
        blocks.set(index, { type: "text" })
        return [{ type: "text-start", id }, ...more(index, { text: given["text"] })]
      case "thinking":
      case "redacted_thinking":
        blocks.set(index, { type: "reasoning", signature: text(given["signature"]), redacted: text(given["data"]) })
        return [{ type: "reasoning-start", id }, ...more(index, { thinking: given["thinking"] })]
      case "tool_use": {
        const call = { type: "call", id: text(given["id"]), name: text(given["name"]), written: "" } as const
        const input = object(given["input"])
        blocks.set(index, { ...call })
        const whole = Object.keys(input).length === 0 ? "" : JSON.stringify(input)
        return [{ type: "tool-start", id: call.id, name: call.name }, ...more(index, { partial_json: whole })]
      }
      default:
        return []
    }
  }
  const more = (index: unknown, delta: Json): ReadonlyArray<Delta> => {
    const block = blocks.get(index)
    const id = String(index)
    if (block?.type === "text") {
      const said = text(delta["text"])
      return said === "" ? [] : [{ type: "text-delta", id, delta: said }]
    }
    if (block?.type === "reasoning") {
      block.signature += text(delta["signature"])
      const said = text(delta["thinking"])
      return said === "" ? [] : [{ type: "reasoning-delta", id, delta: said }]
    }
    if (block?.type !== "call") return []
    const written = text(delta["partial_json"])
    block.written += written
    return written === "" ? [] : [{ type: "tool-delta", id: block.id, delta: written }]
  }
  const end = (index: unknown): ReadonlyArray<Delta> => {
    const block = blocks.get(index)
    const id = String(index)
    blocks.delete(index)
    switch (block?.type) {
      case "text":
        return [{ type: "text-end", id }]
      case "reasoning":
        return [{ type: "reasoning-end", id, proof: proofOf(block) }]
      case "call":
        return [
          { type: "tool-end", id: block.id },
          { type: "call", id: block.id, name: block.name, arguments: block.written || "{}" }
        ]
      default:
        return []
    }
  }
  return {
    next: (event) => {
      usage = { ...usage, ...usageOf(event) }
      raw = { ...raw, ...object(object(event["message"])["usage"]), ...object(event["usage"]) }
      switch (event["type"]) {
        case "message_start": {
          const { id, model } = object(event["message"])
          return [{ type: "response", id: text(id), model: text(model) }]
        }
        case "content_block_start":
          return begin(event["index"], object(event["content_block"]))
        case "content_block_delta":
          return more(event["index"], object(event["delta"]))
        case "content_block_stop":
          return end(event["index"])
        case "message_delta":
          reason = text(object(event["delta"])["stop_reason"]) || reason
          return []
        default:
          return []
      }
    },
    close: () => [...blocks.keys()].flatMap(end),
    ending: () => ({
      finish: finishes[reason ?? ""] ?? "other",
      reason,
      tokens: {
        input: usage.input,
        cacheRead: usage.cacheRead,
        cacheWrite: usage.cacheWrite,
        output: usage.output,
        reasoning: count(object(raw["output_tokens_details"])["thinking_tokens"]),
        raw
      }
    })
  }
}

const proofOf = ({ redacted, signature }: { readonly signature: string; readonly redacted: string }) => {
  if (redacted !== "") return { redacted }
  return signature === "" ? undefined : { signature }
}

/** The protocol of `messages`. */
export const messages: Protocol = {
  write,
  reader,
  eventsOf: (answer) => [
    { type: "message_start", message: answer },
    ...list(answer["content"]).flatMap((block, index) => [
      { type: "content_block_start", index, content_block: block },
      { type: "content_block_stop", index }
    ]),
    { type: "message_delta", delta: { stop_reason: answer["stop_reason"] } }
  ]
}
