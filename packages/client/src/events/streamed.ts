import * as Utf8 from "@tollgate/contract/Utf8"
import { type Event, list, object, text, textOf } from "./Event.ts"
import { type Usage, usageOf } from "./usage.ts"

/** A tool that the model asks for. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON, as the model wrote it. It is whole when the stream has ended. */
  readonly input: string
}

/** An answer that was streamed, in any of the protocols. */
export interface StreamedMessage {
  readonly text: string
  readonly tools: ReadonlyArray<ToolCall>
  readonly usage: Usage
  /** Why the model stopped, in the protocol's own word: `stop`, `end_turn`, `tool_calls`. */
  readonly finish: string | undefined
}

export const emptyMessage: StreamedMessage = { text: "", tools: [], usage: {}, finish: undefined }

/** A part of a tool call. Without `at` it is whole; with it, the parts with the same one belong together. */
interface Part extends Partial<ToolCall> {
  readonly at?: string
}

const partsIn = (event: Event): ReadonlyArray<Part> => {
  const { content_block: block, delta, index, item, type } = event
  const { arguments: whole, call_id: call, type: kind } = object(item)
  const at = String(index)
  if (type === "content_block_start" && object(block)["type"] === "tool_use")
    return [{ at, ...named(object(block)["id"], object(block)["name"]) }]
  if (type === "content_block_delta") return [{ at, input: text(object(delta)["partial_json"]) ?? "" }]
  if (type === "response.output_item.done" && kind === "function_call")
    return [{ ...named(call, object(item)["name"]), input: text(whole) ?? "" }]
  return [
    ...list(object(list(event["choices"])[0]?.["delta"])["tool_calls"]).map(({ function: f, id, index }) => ({
      at: String(index),
      ...named(id, object(f)["name"]),
      input: text(object(f)["arguments"]) ?? ""
    })),
    ...list(object(list(event["candidates"])[0]?.["content"])["parts"])
      .filter((part) => "functionCall" in part)
      .map(({ functionCall: f }) => ({
        ...named(object(f)["id"] ?? "", object(f)["name"]),
        input: JSON.stringify(object(f)["args"] ?? {})
      }))
  ]
}

const named = (id: unknown, name: unknown): Part => ({
  ...(typeof id === "string" ? { id } : {}),
  ...(typeof name === "string" ? { name } : {})
})

const finishIn = (event: Event): string | undefined =>
  text(list(event["choices"])[0]?.["finish_reason"]) ??
  text(object(event["delta"])["stop_reason"]) ??
  text(list(event["candidates"])[0]?.["finishReason"]) ??
  text(object(event["response"])["status"])

type Begun = ToolCall & { readonly at?: string }

/** The message with what one event adds to it: `Stream.runFold(events, () => emptyMessage, addEvent)`. */
export const addEvent = (message: StreamedMessage, event: Event): StreamedMessage => {
  const tools: Array<Begun> = [...message.tools]
  for (const part of partsIn(event)) {
    const begun = part.at === undefined ? -1 : tools.findIndex(({ at }) => at === part.at)
    const known = tools[begun]
    if (known !== undefined) tools[begun] = { ...known, input: known.input + (part.input ?? "") }
    else if (part.name !== undefined) tools.push({ id: "", input: "", ...part, name: part.name })
  }
  return {
    text: message.text + textOf(event),
    tools,
    usage: { ...message.usage, ...usageOf(event) },
    finish: finishIn(event) ?? message.finish
  }
}

/** Reads a stream to its end, and returns its text, the tools that it asks for, and its usage. */
export const finalMessage = async (events: AsyncIterable<Event>): Promise<StreamedMessage> => {
  let message = emptyMessage
  for await (const event of events) message = addEvent(message, event)
  return { ...message, tools: message.tools.map(({ id, input, name }) => ({ id, name, input })) }
}

/** Two readers of one stream. What only one has read is kept for the other. The stream is left when both have left it. */
export const tee = <A>(events: AsyncIterable<A>): readonly [AsyncIterable<A>, AsyncIterable<A>] => {
  type Step = Promise<IteratorResult<A, undefined>>
  const items = events[Symbol.asyncIterator]()
  const waiting: [Array<Step> | undefined, Array<Step> | undefined] = [[], []]
  const reader = (own: 0 | 1, other: 0 | 1): AsyncIterable<A> => ({
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const kept = waiting[own]?.shift()
        if (kept !== undefined) return kept
        const step = items.next() as Step
        waiting[other]?.push(step)
        return step
      },
      return: async () => {
        waiting[own] = undefined
        if (waiting[other] === undefined) await items.return?.()
        return { done: true, value: undefined }
      }
    })
  })
  return [reader(0, 1), reader(1, 0)]
}

/** A class of the platform, where it has one. */
type Global<Name extends string> = typeof globalThis extends { readonly [K in Name]: { readonly prototype: infer A } }
  ? A
  : object

interface Controller {
  readonly enqueue: (bytes: Uint8Array) => void
  readonly close: () => void
}

declare const ReadableStream: new (source: {
  readonly pull: (controller: Controller) => Promise<void>
  readonly cancel: () => Promise<void>
}) => Global<"ReadableStream">
declare const Response: new (
  body: unknown,
  init: { readonly headers: Readonly<Record<string, string>> }
) => Global<"Response">

const lineOf = (event: Event): Uint8Array => {
  const name = text(event["type"])
  return Utf8.encode(`${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`)
}

const failedEvent = (error: unknown): Event => {
  const { _tag: type, message } = object(error)
  return { type: "error", error: { type: text(type) ?? "Error", message: text(message) ?? "The stream broke" } }
}

/** The events as server-sent events. An error is the last event, of the type `error`. Canceling leaves the stream. */
export const toReadableStream = (events: AsyncIterable<Event>): Global<"ReadableStream"> => {
  const items = events[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async (controller) => {
      const next = await items.next().catch((error: unknown) => ({ done: false, value: failedEvent(error) }))
      if (next.done === true) controller.close()
      else controller.enqueue(lineOf(next.value as Event))
    },
    cancel: async () => void (await items.return?.())
  })
}

/**
 * The answer of a server to its own caller: `toResponse(tollgate.messagesStream(input))`. It waits until the stream begins, and
 * rejects with the error of one that does not.
 */
export const toResponse = async (
  events: AsyncIterable<Event> & { readonly response: () => Promise<unknown> }
): Promise<Global<"Response">> => {
  await events.response()
  const headers = { "content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no" }
  return new Response(toReadableStream(events), { headers })
}
