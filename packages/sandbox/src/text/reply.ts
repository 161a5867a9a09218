import { defaultOutputLimit } from "@tollgate/contract/price/modelPrices"
import { type IntGenerator, seededInts } from "../SeededRandom.ts"
import { invent, inventArguments } from "./invent.ts"
import { endless, paragraph, topics } from "./prose.ts"
import { tokens } from "./tokens.ts"

/** A request to a model, independent of the protocol. */
export interface ModelRequest {
  /** The user's last message. */
  readonly message: string
  /** The result of a tool call, if the conversation ends with one. */
  readonly result?: string | undefined
  /** The tool to call. */
  readonly tool?: { readonly name: string; readonly schema: unknown } | undefined
  /** The caller wants JSON, of this schema if there is one. */
  readonly json?: { readonly schema?: unknown } | undefined
  readonly limit?: number | undefined
  /** How many tokens the model thinks before it answers. They count towards the limit. */
  readonly thinking?: number | undefined
  readonly stop: ReadonlyArray<string>
  /** The number of parts of the answer, if the scenario sets it. */
  readonly events?: number | undefined
  /** How many sources the answer cites. */
  readonly sources?: number | undefined
}

export interface Part {
  readonly text: string
  readonly tokens: number
}

export type Finish =
  | { readonly reason: "stop" | "length" | "call" }
  | { readonly reason: "sequence"; readonly sequence: string }

/** What a model thinks before it answers. */
export interface Thought extends Part {
  readonly parts: ReadonlyArray<Part>
}

export interface Reply {
  readonly thought: Thought
  readonly call?: { readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  /** The text, or the call's arguments as JSON. It is the same each time, and created as it is read. */
  readonly parts: () => Generator<Part, Finish>
}

const continues = /^[\p{L}\p{N}]/u

/** Groups a few tokens into each part. Words stay whole, so that the parts' tokens add up to those of the text. */
function* grouped(
  pieces: Iterable<string>,
  nextInt: IntGenerator,
  limit: number,
  events: number,
  finish: Finish
): Generator<Part, Finish> {
  let written = 0
  let sent = 0
  let part = { text: "", tokens: 0 }
  let size = 2 + nextInt(3)
  for (const piece of pieces) {
    if (part.tokens >= size && !continues.test(piece)) {
      yield part
      sent += 1
      if (sent === events) return finish
      part = { text: "", tokens: 0 }
      size = 2 + nextInt(3)
    }
    if (written === limit) {
      if (part.tokens > 0) yield part
      return { reason: "length" }
    }
    written += 1
    part = { text: part.text + piece, tokens: part.tokens + 1 }
  }
  if (part.tokens > 0) yield part
  return finish
}

function* tokensOf(sentences: Iterable<string>): Generator<string> {
  let gap = ""
  for (const sentence of sentences) {
    yield* tokens(gap + sentence)
    gap = " "
  }
}

/** Cuts the text before the first stop sequence, and returns which one it was. */
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

const maxQuoteLength = 200

const answerText = ({ json, message, result, sources = 0 }: ModelRequest, nextInt: IntGenerator): string => {
  const about = topics(message)
  const sentences = paragraph(about, nextInt, sources)
  if (json !== undefined)
    return JSON.stringify(
      json.schema === undefined ? { topic: about[0], answer: sentences.join(" ") } : invent(json.schema, nextInt)
    )
  const quote = result?.replaceAll(/\s+/gu, " ").trim().slice(0, maxQuoteLength).toWellFormed()
  return [...(quote === undefined ? [] : [`The tool answered: ${quote}`]), ...sentences].join(" ")
}

function* first(pieces: Iterable<string>, most: number): Generator<string> {
  let taken = 0
  if (most <= 0) return
  for (const piece of pieces) {
    yield piece
    if (++taken >= most) return
  }
}

const thoughtOf = ({ limit = Infinity, message, thinking = 0 }: ModelRequest, nextInt: IntGenerator): Thought => {
  const pieces = [...first(tokensOf(endless(topics(message), nextInt)), Math.min(thinking, limit))]
  const parts = [...grouped(pieces, nextInt, Infinity, Infinity, { reason: "stop" })]
  return { parts, text: pieces.join(""), tokens: pieces.length }
}

/** The answer to a request. Each `choice` is a different one. */
export const reply = (request: ModelRequest, choice = 0): Reply => {
  const fresh = () => seededInts(`${choice}\n${request.message}\n${request.result ?? ""}`)
  const thought = thoughtOf(request, fresh())
  const limit = (request.limit ?? defaultOutputLimit) - thought.tokens
  const { events, tool } = request
  if (events !== undefined) {
    const parts = () => {
      const nextInt = fresh()
      const most = request.limit === undefined ? Infinity : limit
      return grouped(tokensOf(endless(topics(request.message), nextInt)), nextInt, most, events, { reason: "stop" })
    }
    return { thought, parts }
  }
  if (tool !== undefined) {
    const input = inventArguments(tool.schema, fresh())
    const pieces = tokens(JSON.stringify(input))
    // A truncated call would be useless, so a call over the limit is not made.
    if (pieces.length <= limit)
      return {
        thought,
        call: { name: tool.name, input },
        parts: () => grouped(pieces, fresh(), Infinity, Infinity, { reason: "call" })
      }
  }
  const [text, finish] = cut(answerText(request, fresh()), request.stop)
  const pieces = tokens(text)
  return { thought, parts: () => grouped(pieces, fresh(), limit, Infinity, finish) }
}

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
