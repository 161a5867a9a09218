import { defaultOutputLimit } from "@tollgate/contract/operations/outputLimit"
import { type Dice, dice } from "./hash.ts"
import { invent, inventArguments } from "./invent.ts"
import { endless, paragraph, topics } from "./prose.ts"
import { tokens } from "./tokens.ts"

/** What a model is asked, whichever protocol asked it. */
export interface Ask {
  /** The user's last message. */
  readonly message: string
  /** What a tool answered, where the conversation has come to that. */
  readonly result?: string | undefined
  /** The tool to call. */
  readonly tool?: { readonly name: string; readonly schema: unknown } | undefined
  /** JSON is wanted, of this schema if there is one. */
  readonly json?: { readonly schema?: unknown } | undefined
  readonly limit?: number | undefined
  readonly stop: ReadonlyArray<string>
  /** How many parts the answer has; as many as it takes where nothing is said. */
  readonly events?: number | undefined
  /** How many sources the answer names. */
  readonly sources?: number | undefined
}

export interface Part {
  readonly text: string
  readonly tokens: number
}

export type Finish =
  | { readonly reason: "stop" | "length" | "call" }
  | { readonly reason: "sequence"; readonly sequence: string }

export interface Reply {
  readonly call?: { readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  /** The text, or the call's arguments as JSON: the same each time, and made as it is taken. */
  readonly parts: () => Generator<Part, Finish>
}

const continues = /^[\p{L}\p{N}]/u

/** A few tokens at a time. No word is divided, so that parts have as many tokens apart as together. */
function* grouped(
  pieces: Iterable<string>,
  roll: Dice,
  limit: number,
  events: number,
  whole: Finish
): Generator<Part, Finish> {
  let written = 0
  let sent = 0
  let part = { text: "", tokens: 0 }
  let size = 2 + roll(3)
  for (const piece of pieces) {
    if (part.tokens >= size && !continues.test(piece)) {
      yield part
      sent += 1
      if (sent === events) return whole
      part = { text: "", tokens: 0 }
      size = 2 + roll(3)
    }
    if (written === limit) {
      if (part.tokens > 0) yield part
      return { reason: "length" }
    }
    written += 1
    part = { text: part.text + piece, tokens: part.tokens + 1 }
  }
  if (part.tokens > 0) yield part
  return whole
}

function* spelled(sentences: Iterable<string>): Generator<string> {
  let gap = ""
  for (const sentence of sentences) {
    yield* tokens(gap + sentence)
    gap = " "
  }
}

/** The text before the first of the sequences, and which one that was. */
const cut = (text: string, sequences: ReadonlyArray<string>): readonly [string, Finish] => {
  let end = text.length
  let finish: Finish = { reason: "stop" }
  for (const sequence of sequences) {
    const index = text.indexOf(sequence)
    if (index < 0 || index >= end) continue
    end = index
    finish = { reason: "sequence", sequence }
  }
  return [text.slice(0, end), finish]
}

const quotable = 200

const finite = ({ json, message, result, sources = 0 }: Ask, roll: Dice): string => {
  const about = topics(message)
  const sentences = paragraph(about, roll, sources)
  if (json !== undefined)
    return JSON.stringify(
      json.schema === undefined ? { topic: about[0], answer: sentences.join(" ") } : invent(json.schema, roll)
    )
  const said = result?.replaceAll(/\s+/gu, " ").trim().slice(0, quotable).toWellFormed()
  return [...(said === undefined ? [] : [`The tool answered: ${said}`]), ...sentences].join(" ")
}

/** The answer to `ask`; a `choice` other than the first is another answer. */
export const reply = (ask: Ask, choice = 0): Reply => {
  const fresh = () => dice(`${choice}\n${ask.message}\n${ask.result ?? ""}`)
  const limit = ask.limit ?? defaultOutputLimit
  const { events, tool } = ask
  if (events !== undefined) {
    const parts = () => {
      const roll = fresh()
      return grouped(spelled(endless(topics(ask.message), roll)), roll, ask.limit ?? Infinity, events, {
        reason: "stop"
      })
    }
    return { parts }
  }
  if (tool !== undefined) {
    const input = inventArguments(tool.schema, fresh())
    const pieces = tokens(JSON.stringify(input))
    // Half a call is of no use to anybody: one that does not fit is not made.
    if (pieces.length <= limit)
      return {
        call: { name: tool.name, input },
        parts: () => grouped(pieces, fresh(), Infinity, Infinity, { reason: "call" })
      }
  }
  const [text, finish] = cut(finite(ask, fresh()), ask.stop)
  const pieces = tokens(text)
  return { parts: () => grouped(pieces, fresh(), limit, Infinity, finish) }
}

/** The whole of a reply at once. */
export const gather = (parts: Generator<Part, Finish>): Part & { readonly finish: Finish } => {
  const texts: Array<string> = []
  let tokens = 0
  for (;;) {
    const next = parts.next()
    if (next.done === true) return { text: texts.join(""), tokens, finish: next.value }
    texts.push(next.value.text)
    tokens += next.value.tokens
  }
}
