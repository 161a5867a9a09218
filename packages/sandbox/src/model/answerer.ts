import type { Answer, AnswerEvent, Codec, Conversation } from "@tollgate/protocols"
import type { Finish as CodecFinish, Sealed, Usage } from "@tollgate/protocols/Conversation"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import {
  type Context,
  type Events,
  type Framing,
  type Handler,
  type InvalidInput,
  type StreamEvent
} from "../BilledAnswer.ts"
import { id } from "../SeededRandom.ts"
import * as Scenario from "../Scenario.ts"
import { type Finish, gather, type Part, type Reply, reply } from "../text/reply.ts"
import { billed, type InputUsage, inputUsage } from "../text/tokens.ts"
import { chatModel, json, sse } from "../wire/body.ts"
import { type Fields, fieldsOf, listOf, modelRequest, promptTokens, read, wrong } from "./request.ts"

/** A source that an answer cites. */
export interface Source {
  readonly title: string
  readonly url: string
}

/** A generated answer, before it is written in its protocol's format, whole or as a stream. */
export interface Generation {
  readonly id: string
  readonly body: Fields
  readonly conversation: Conversation
  readonly replies: ReadonlyArray<Reply>
  readonly inputUsage: InputUsage
  readonly sources: ReadonlyArray<Source>
  readonly hidesUsage: boolean
}

/** Where a piece of an answer stands. */
export interface Place {
  readonly generation: Generation
  /** Which of several answers it is. */
  readonly index: number
  readonly text: string
  /** The tokens of its answer's text before it. */
  readonly before: number
  /** All tokens so far. */
  readonly usage: Usage
  /** How its answer ended, if it has. */
  readonly finish: Finish | undefined
}

/** What the sandbox does in one protocol beside what the codec does. */
export interface Dialect {
  readonly codec: Codec
  readonly operation: string
  readonly failure: Events["failure"]
  /** Before the ids of an answer and of a call. */
  readonly ids: readonly [answer: string, call: string]
  /** The request, with what the path says. */
  readonly bodyOf?: (value: unknown, context: Context) => Fields
  readonly refuse?: (conversation: Conversation, body: Fields) => InvalidInput | undefined
  /** How many answers the caller wants. */
  readonly choices?: (body: Fields) => unknown
  /** How many tokens the model thinks. */
  readonly thinking: (conversation: Conversation) => number
  /** Thinking that the caller does not want to see has a part without text. */
  readonly hasEmptyThought: boolean
  /** The signature of the thinking. */
  readonly seal?: (generation: Generation) => Sealed | undefined
  /** It caches what the caller marks. */
  readonly caches?: boolean
  /** What the answer quotes of a tool's result. */
  readonly result?: (text: string) => string
  readonly sources?: (message: string) => ReadonlyArray<Source>
  /** The list of answers, where a request may ask for several. */
  readonly several?: "choices" | "candidates"
  /** Follows the beginning of the answer's text. */
  readonly ping?: StreamEvent
  readonly framing?: (request: HttpServerRequest) => Framing
  /** Changes what the codec wrote. */
  readonly whole: (answer: Fields, place: Place) => Fields
  readonly event: (event: Fields, place: Place) => Fields
}

/** A fixed time, so that the same request gets the same answer. */
export const created = 1_767_225_600

const finishes = { stop: "stop", length: "length", call: "calls", sequence: "sequence" } as const

const endingOf = (finish: Finish): Pick<Answer, "finish" | "reason" | "sequence"> => {
  const word: CodecFinish = finishes[finish.reason]
  return { finish: word, reason: word, sequence: finish.reason === "sequence" ? finish.sequence : undefined }
}

const writing = { created, wantsUsage: false, isArray: false }

/** How a codec reports usage. */
export const reportOf = (codec: Codec, field: string, usage: Usage): Fields => {
  const answer: Answer = { id: "", model: "", parts: [], finish: "stop", reason: "", usage }
  return fieldsOf(codec.writeAnswer(answer, writing)[field])
}

const usageOf = ({ inputUsage }: Generation, output: number, thoughts: number): Usage => ({
  input: inputUsage.input,
  cacheRead: inputUsage.cacheRead === 0 ? undefined : inputUsage.cacheRead,
  cacheWrite: inputUsage.cacheWrite,
  output,
  reasoning: thoughts === 0 ? undefined : thoughts
})

const isShown = ({ conversation }: Generation): boolean => conversation.reasoning?.isShown === true

const answerIds = ({ ids: [answer, call] }: Dialect, generation: Generation, index: number) => ({
  answer: answer + generation.id,
  call: `${call}${generation.id}${index === 0 ? "" : index}`
})

/** The answer as one body, and its number of output tokens. */
const whole = (dialect: Dialect, generation: Generation) => {
  const { codec, hasEmptyThought, seal, several } = dialect
  const gathered = generation.replies.map((reply) => ({ reply, ...gather(reply.parts()) }))
  const thoughts = gathered.reduce((sum, { reply }) => sum + reply.thought.tokens, 0)
  const output = gathered.reduce((sum, { tokens }) => sum + tokens, thoughts)
  const usage = usageOf(generation, output, thoughts)
  const answers = gathered.map(({ finish, reply: { call, thought }, text }, index) => {
    const ids = answerIds(dialect, generation, index)
    const shown = isShown(generation)
    const parts: Answer["parts"] = [
      ...(thought.tokens > 0 && (shown || hasEmptyThought)
        ? [{ type: "reasoning", text: shown ? thought.text : "", sealed: seal?.(generation) } as const]
        : []),
      call === undefined ? { type: "text", text } : { type: "call", id: ids.call, name: call.name, arguments: text }
    ]
    const answer: Answer = { id: ids.answer, model: chatModel, parts, ...endingOf(finish), usage }
    return dialect.whole(codec.writeAnswer(answer, writing), { generation, index, text, before: 0, usage, finish })
  })
  const body = answers[0] ?? {}
  const all = several && answers.flatMap((answer) => listOf(answer[several]))
  return { body: several === undefined ? body : { ...body, [several]: all }, output }
}

const eventsIn = (text: string): ReadonlyArray<Pick<StreamEvent, "event" | "data">> =>
  text.split(/\r?\n\r?\n/).flatMap((block) => {
    const [, event, data] = /^(?:event: (.*)\n)?data: (.*)$/.exec(block) ?? []
    return data === undefined ? [] : [event === undefined ? { data } : { event, data }]
  })

/** The answer as a stream of events, one choice after the other. */
function* events(dialect: Dialect, generation: Generation): Generator<StreamEvent> {
  const { codec, hasEmptyThought, ping, seal } = dialect
  const { body, hidesUsage, replies } = generation
  const wantsUsage = !hidesUsage && fieldsOf(body["stream_options"])["include_usage"] === true
  let output = 0
  let thoughts = 0
  /** Tokens of what no event has shown yet. */
  let pending = 0
  const writers = replies.map(({ call, parts, thought }, index) => {
    const writer = codec.writer({ created, wantsUsage, isArray: false })
    const ids = answerIds(dialect, generation, index)
    let finish: Finish | undefined
    let before = 0
    function* send(event: AnswerEvent, { text, tokens }: Part = { text: "", tokens: 0 }): Generator<StreamEvent> {
      pending += tokens
      const sent = eventsIn(writer.next(event))
      for (const [i, { data, ...named }] of sent.entries()) {
        // The last of them has the text.
        const tokens = i === sent.length - 1 ? pending : 0
        output += tokens
        pending -= tokens
        const usage = usageOf(generation, output, thoughts)
        const place = { generation, index, text, before, usage, finish }
        const written = data.startsWith("{") ? JSON.stringify(dialect.event(JSON.parse(data) as Fields, place)) : data
        yield { ...named, data: written, tokens }
      }
      if (text !== "") before += tokens
    }
    function* think(): Generator<StreamEvent> {
      const shown = isShown(generation)
      thoughts += thought.tokens
      if (!shown) pending += thought.tokens
      if (thought.tokens === 0 || !(shown || hasEmptyThought)) return
      yield* send({ type: "open", part: "reasoning" })
      if (shown) for (const part of thought.parts) yield* send({ type: "more", text: part.text }, part)
      const sealed = seal?.(generation)
      if (sealed !== undefined) yield* send({ type: "sealed", sealed })
      yield* send({ type: "close" })
      before = 0
    }
    function* say(): Generator<StreamEvent> {
      yield* send({ type: "usage", usage: usageOf(generation, 0, 0) })
      yield* send({ type: "start", id: ids.answer, model: chatModel })
      yield* think()
      yield* send(
        call === undefined
          ? { type: "open", part: "text" }
          : { type: "open", part: "call", id: ids.call, name: call.name }
      )
      if (ping !== undefined) yield ping
      const written = parts()
      let next = written.next()
      for (; next.done !== true; next = written.next()) yield* send({ type: "more", text: next.value.text }, next.value)
      finish = next.value
      yield* send({ type: "close" })
    }
    function* end(events: ReadonlyArray<AnswerEvent>): Generator<StreamEvent> {
      for (const event of events) for (const sent of send(event)) yield { ...sent, final: true }
    }
    return { say, end, ending: () => endingOf(finish ?? { reason: "stop" }) }
  })
  for (const { say } of writers) yield* say()
  for (const { end, ending } of writers) yield* end([{ type: "finish", ...ending() }])
  const usage: AnswerEvent = { type: "usage", usage: usageOf(generation, output + pending, thoughts) }
  // All choices of a chat have one end.
  const last = codec.shape === "chat" ? writers.slice(-1) : writers
  for (const { end } of last) yield* end([usage, { type: "end" }])
}

const mostChoices = 8

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= mostChoices

/** The body of a request, and the seed of its answer. */
const asked = Effect.fnUntraced(function* (dialect: Dialect, request: HttpServerRequest, context: Context) {
  const { seed, value } = yield* json(request)
  const body = dialect.bodyOf?.(value, context) ?? fieldsOf(value)
  return { seed, body, conversation: yield* read(dialect.codec, body) }
})

const generationOf = Effect.fnUntraced(function* (dialect: Dialect, request: HttpServerRequest, context: Context) {
  const { body, conversation, seed } = yield* asked(dialect, request, context)
  const refused = dialect.refuse?.(conversation, body)
  if (refused !== undefined) return yield* refused
  const choices = dialect.choices?.(body) ?? 1
  if (!isCount(choices)) return yield* wrong("n", `must be from 1 to ${mostChoices}`)
  const { scenario } = context
  const { result, ...wanted } = modelRequest(conversation)
  const sources = dialect.sources?.(wanted.message) ?? []
  const of = {
    ...wanted,
    result: result === undefined ? undefined : (dialect.result?.(result) ?? result),
    thinking: dialect.thinking(conversation),
    sources: sources.length,
    events: Scenario.longEvents(scenario)
  }
  const { marked, prompt } = promptTokens(conversation)
  const generation: Generation = {
    id: id(seed),
    body,
    conversation,
    replies: Array.from({ length: choices }, (_, choice) => reply(of, choice)),
    inputUsage: inputUsage(prompt, dialect.caches === true ? marked : 0, scenario),
    sources,
    hidesUsage: Scenario.hidesUsage(scenario)
  }
  return generation
})

/** Answers a conversation in its protocol's format, whole or as a stream. */
export const answerer = (dialect: Dialect): Handler =>
  Effect.fnUntraced(function* (request, context) {
    const { failure, framing, operation } = dialect
    const generation = yield* generationOf(dialect, request, context)
    if (generation.conversation.isStream)
      return {
        operation,
        events: { framing: framing?.(request) ?? sse, generate: () => events(dialect, generation), failure },
        billed: (output) => billed(generation.inputUsage, output)
      }
    // The usage of a whole answer is removed later.
    const { body, output } = whole(dialect, { ...generation, hidesUsage: false })
    return { operation, body, billed: billed(generation.inputUsage, output) }
  })

/** Counts what an answerer would report as input. Free. */
export const counter = (dialect: Dialect, operation: string, write: (tokens: number) => Fields): Handler =>
  Effect.fnUntraced(function* (request, context) {
    const { conversation } = yield* asked(dialect, request, context)
    return { operation, body: write(promptTokens(conversation).prompt), billed: {} }
  })
