import { attempt } from "@tollgate/contract/attempt"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as Headers from "@tollgate/contract/Headers"
import { bytesPerToken } from "@tollgate/contract/price/content"
import type { Evidence } from "@tollgate/contract/price/evidence"
import { modelNamed } from "@tollgate/contract/price/contracts/modelDimensions"
import { defaultOutputLimit } from "@tollgate/contract/price/modelPrices"
import { isByModel } from "@tollgate/contract/price/Price"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Codec, UpstreamCodec, WriterOptions } from "@tollgate/protocols/Codec"
import type { Answer as Said, Conversation, Ending } from "@tollgate/protocols/Conversation"
import { codecs, upstreamCodecs } from "@tollgate/protocols/codecs"
import { readError, writeError } from "@tollgate/protocols/errors"
import { losesDigits, parse, stringify } from "@tollgate/protocols/exact"
import { countOr, isMissing, isObject, type Json, Malformed, objectOr } from "@tollgate/protocols/json"
import { Lost } from "@tollgate/protocols/losses"
import { written } from "@tollgate/protocols/settings"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Decoded, Sent } from "../exchange/Exchange.ts"
import type { Answer } from "../exchange/Reply.ts"
import { emptyBytes } from "../internal/emptyBytes.ts"
import { without } from "../internal/jsonEdit.ts"
import { tryParse } from "../internal/jsonValue.ts"
import { parseQuery } from "../internal/query.ts"
import type { Called } from "./Called.ts"
import type { Endpoint } from "./Endpoint.ts"
import { asksForStream, isSuccess } from "./protocols/message.ts"
import { responsesError } from "./protocols/responses.ts"
import type { Protocol, StreamMeter, Tap } from "./Protocol.ts"
import type { Provider } from "./Provider.ts"
import { askedBy, shapeOf } from "./speaks.ts"

/** A call in the words of its upstream, and how its answer becomes one in the caller's. */
export interface Translation {
  readonly exchange: Sent
  /** Reads the answer's cost from what the upstream sent, and turns what the caller gets. */
  readonly protocol: Protocol
  readonly called: (called: Called) => Called
}

const maxOutputOf = ({ model, price }: Sent): number | undefined =>
  price !== undefined && isByModel(price) ? modelNamed(price, model)?.maxOutput : undefined

const bodyOf = ({ bytes, input }: Sent): Json => {
  const text = Utf8.decode(bytes)
  const body = losesDigits(text) ? parse(text) : input.body
  if (isObject(body)) return body
  throw new Malformed("body", "a JSON object")
}

const isStreamed = (exchange: Sent): boolean =>
  shapeOf(exchange.operation.id) === "generateContent"
    ? exchange.operation.path.endsWith(":streamGenerateContent")
    : asksForStream(exchange)

const read = (exchange: Sent, from: Codec): Conversation => {
  const conversation = from.readRequest(bodyOf(exchange))
  const { model = conversation.model, outputBound } = exchange
  const limit = conversation.limit ?? outputBound
  return { ...conversation, model, isStream: isStreamed(exchange), ...(limit === undefined ? {} : { limit }) }
}

const named = (fields: ReadonlyArray<string>): string =>
  fields
    .slice(0, 20)
    .map((field) => field.slice(0, 100))
    .join(", ")

const notSayable = (fields: ReadonlyArray<string>, { provider }: Endpoint): Refused =>
  refuse(
    "invalid_request",
    `The model's upstream, which speaks the protocol ${provider.protocol}, cannot express: ${named(fields)}. ` +
      "Leave it out, or call another model. Nothing was executed.",
    { param: fields[0]?.slice(0, 100) ?? "body" }
  )

/** The gateway asks for a report of the usage itself. An upstream that lacks the field reports it anyway. */
const reporting = "stream_options"

/** The body in the upstream's own manner of its protocol. */
const fitted = (body: Json, { lacks = [], outputLimit }: Provider, lost: Lost): Json => {
  const fit: Record<string, unknown> = { ...body }
  const limit = fit["max_completion_tokens"]
  if (outputLimit === "max_tokens" && limit !== undefined) {
    delete fit["max_completion_tokens"]
    fit[outputLimit] = limit
  }
  for (const field of lacks) {
    if (fit[field] === undefined) continue
    delete fit[field]
    if (field !== reporting) lost.addOwn(field)
  }
  return fit
}

const requestIn = (
  exchange: Sent,
  { model = exchange.model ?? "", provider }: Endpoint,
  to: UpstreamCodec,
  conversation: Conversation,
  lost: Lost
): Sent => {
  const operation = askedBy(to.shape, conversation.isStream, exchange.operation.names)
  const limit = conversation.limit ?? maxOutputOf(exchange) ?? defaultOutputLimit
  const body = fitted(to.writeRequest(conversation, lost, { limit, model }), provider, lost)
  const query = to.shape === "generateContent" && conversation.isStream ? "alt=sse" : ""
  const { outputBound: _, ...rest } = exchange
  return {
    ...rest,
    operation,
    path: operation.path.replace("{model}", () => encodeURIComponent(conversation.model)),
    query,
    input: { ...exchange.input, query: {}, body },
    bytes: Utf8.encode(stringify(body))
  }
}

/** An answer that ended, without a word of why. */
const endedSomehow = (hasCalls: boolean): Ending => ({ finish: hasCalls ? "calls" : "stop", reason: "" })

/** What an answer is called whose upstream names neither it nor its model. */
type Options = WriterOptions & Pick<Said, "id" | "model">

const identified = <A extends Pick<Said, "id" | "model">>(said: A, { id, model }: Options): A => ({
  ...said,
  id: said.id || id,
  model: said.model || model
})

/** Turns the events of an upstream into those of the caller's protocol. What is metered is what the upstream sent. */
const turningMeter = (
  metered: (tap: Tap) => StreamMeter,
  from: Codec,
  to: UpstreamCodec,
  options: Options,
  limit: number
): StreamMeter => {
  const reader = to.reader()
  const writer = from.writer(options)
  let text = ""
  let isDone = false
  let isOpen = false
  let hasCalls = false
  let hasReason = false
  let failure: string | undefined
  const fail = (message: string, code = "upstream_failed"): void => {
    isDone = true
    failure = message
    text += writer.next({ type: "error", message, code })
  }
  const orFail = (write: () => void): void => {
    try {
      write()
    } catch {
      fail("The upstream sent an event that is not of its protocol.")
    }
  }
  const tap: Tap = (data, event) => {
    if (isDone || (event === undefined && !data.trimStart().startsWith("{"))) return
    orFail(() => {
      const json = event === undefined || losesDigits(data) ? (parse(data) as Json) : event
      for (const each of reader.next(json)) {
        if (each.type === "open" || each.type === "close") isOpen = each.type === "open"
        if (each.type === "open") hasCalls ||= each.part === "call"
        if (each.type === "finish") hasReason = each.reason !== ""
        if (each.type === "error") fail(each.message, each.code)
        else if (each.type === "start") text += writer.next(identified(each, options))
        else if (each.type !== "end") text += writer.next(each)
      }
    })
  }
  const { errorEvent: _, ...meter } = metered(tap)
  const end = (): void => {
    isDone = true
    if (isOpen) text += writer.next({ type: "close" })
    if (!hasReason) text += writer.next({ type: "finish", ...endedSomehow(hasCalls) })
    text += writer.next({ type: "end" })
  }
  const turned = (): Uint8Array => {
    if (!isDone && meter.report().state === "complete") orFail(end)
    const bytes = text === "" ? emptyBytes : Utf8.encode(text)
    text = ""
    return bytes
  }
  return {
    ...meter,
    ...(from.shape === "responses" ? { errorEvent: responsesError } : {}),
    push: (chunk) => {
      meter.push(chunk)
      return turned()
    },
    finish: () => {
      meter.finish()
      return turned()
    },
    report: () => {
      const report = meter.report()
      const textBytes = Math.min(report.textBytes, limit * bytesPerToken)
      return { ...report, textBytes, state: failure === undefined ? report.state : "failed" }
    }
  }
}

const within = (evidence: Evidence, limit: number): Evidence =>
  evidence.kind === "model" && evidence.isEstimate === true && evidence.usage.output > limit
    ? { ...evidence, usage: { ...evidence.usage, output: limit } }
    : evidence

const turnedAnswer = (answer: Answer, from: Codec, to: UpstreamCodec, options: Options): Answer | undefined =>
  attempt(() => {
    const text = Utf8.decode(answer.bytes)
    const body = losesDigits(text) ? parse(text) : JSON.parse(text)
    if (!isObject(body)) return undefined
    const said = identified(to.readAnswer(body), options)
    const ending = said.reason === "" ? endedSomehow(said.parts.some(({ type }) => type === "call")) : {}
    const bytes = Utf8.encode(stringify(from.writeAnswer({ ...said, ...ending }, options)))
    return { ...answer, contentType: "application/json", bytes }
  })

/** An error in the caller's shape, with what the upstream said. */
const turnedError = (answer: Answer, from: Codec): Answer => {
  const body = tryParse(answer.bytes)
  const bytes = Utf8.encode(JSON.stringify(writeError(from.shape, answer.status, readError(body))))
  return { ...answer, contentType: "application/json", bytes }
}

/** Leaves out of a call what its upstream lacks, where the route wants that. */
const shortened = (exchange: Sent, endpoint: Endpoint, protocol: Protocol): Result.Result<Translation, Refused> => {
  const { body } = exchange.input
  const fields = (endpoint.provider.lacks ?? []).filter((field) => isObject(body) && !isMissing(body[field]))
  const asked = fields.filter((field) => field !== reporting)
  if (asked.length > 0 && endpoint.lossy !== "drop") return Result.fail(notSayable(asked, endpoint))
  const bytes = fields.reduce((bytes, field) => without(field)(bytes, 0, bytes.length) ?? bytes, exchange.bytes)
  return Result.succeed({ exchange: { ...exchange, bytes }, protocol, called: naming(exchange, fields) })
}

/** Names what was left out in a header of the answer. */
const naming =
  ({ operation }: Sent, fields: ReadonlyArray<string>) =>
  (called: Called): Called => {
    if (fields.length === 0) return called
    // Header values are ASCII.
    const header = { [Headers.dropped.key(operation.names)]: named(fields).replaceAll(/[^\x20-\x7e]/g, "?") }
    return called.kind === "stream"
      ? { ...called, streaming: { ...called.streaming, headers: { ...called.streaming.headers, ...header } } }
      : { ...called, answer: { ...called.answer, headers: { ...called.answer.headers, ...header } } }
  }

/** Says a call in the protocol of its upstream. What that cannot say is refused, or dropped and named, as the route wants. */
export const turn = (exchange: Sent, endpoint: Endpoint, protocol: Protocol): Result.Result<Translation, Refused> => {
  if (endpoint.shape === undefined) return shortened(exchange, endpoint, protocol)
  const own = shapeOf(exchange.operation.id)
  const from = own && codecs[own]
  const to = upstreamCodecs[endpoint.shape]
  if (from === undefined) {
    return Result.fail(refuse("upstream_misconfigured", "The upstream does not speak the protocol of this operation."))
  }
  const lost = new Lost()
  let conversation: Conversation
  let sent: Sent
  try {
    conversation = read(exchange, from)
    sent = requestIn(exchange, endpoint, to, conversation, lost)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return Result.fail(refuse("invalid_request", error.message, { param: error.at }))
  }
  const word = (name: string) => written(from.settings, name)
  const asked = lost.inWords(word, "asked")
  if (asked.length > 0 && endpoint.lossy !== "drop") return Result.fail(notSayable(asked, endpoint))
  const named = naming(exchange, lost.inWords(word, "all"))
  const isArray = own === "generateContent" && parseQuery(exchange.query)?.get("alt") !== "sse"
  const options: Options = {
    id: exchange.requestId,
    model: conversation.model,
    created: Math.floor(exchange.since / 1000),
    wantsUsage: wantsUsage(exchange),
    isArray
  }
  const { input, operation, query } = sent
  // What the gateway itself asked for bounds an estimate.
  const limit = countOr(objectOr(input.body)["max_tokens"]) ?? Infinity
  // Where Bedrock has files nobody else looks for them.
  const counted = to.shape === "converse" ? exchange.input : input
  // A stream goes on for long: the prompt is let go.
  const head = { ...input, body: withoutLists(input.body) }
  const asSent = (given: Decoded): Decoded => ({ ...given, operation, query, input: head })
  return Result.succeed({
    exchange: sent,
    protocol: {
      ...protocol,
      evidence: (given, answer) =>
        Option.map(protocol.evidence({ ...given, operation, query, input: counted }, answer), (found) =>
          within(found, limit)
        ),
      streamMeter: (given, eventBytes) =>
        turningMeter((tap) => protocol.streamMeter(asSent(given), eventBytes, tap), from, to, options, limit),
      turned: (answer) => turnedAnswer(answer, from, to, options)
    },
    called: (called) => {
      if (called.kind === "stream") {
        const contentType = isArray ? "application/json" : "text/event-stream"
        return named({ ...called, streaming: { ...called.streaming, contentType } })
      }
      const { answer, scrub = (answer) => answer } = called
      if (isSuccess(answer.status)) return named(called)
      // A credential that was written with escapes shows only now.
      return named({ ...called, answer: scrub(turnedError(answer, from)) })
    }
  })
}

const wantsUsage = ({ input }: Sent): boolean => {
  const options = isObject(input.body) ? input.body["stream_options"] : undefined
  return isObject(options) && options["include_usage"] === true
}

const withoutLists = (body: unknown): unknown =>
  isObject(body) ? Object.fromEntries(Object.entries(body).filter(([, value]) => !Array.isArray(value))) : body
