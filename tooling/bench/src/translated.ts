import * as Utf8 from "@tollgate/contract/Utf8"
import { NodeRuntime } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Respond, withBilledCalls } from "./billedCall.ts"
import { answer, conversation, streamed, translated, usage } from "./conversation.ts"
import { inSlice } from "./slices.ts"

// The processor time of a chat call that an upstream of messages answers, against one of chat completions, in turn.
const slices = Number(process.argv[2] ?? 300)
NodeRuntime.stayReady()

const callsOfSlice = 64
const words = "The Nile is usually named first, at about 6,650 kilometres. ".repeat(5).split(/(?<= )/)

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "bench",
  content: [{ type: "text", text: words.join("") }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens }
}

const chunk = (delta: object, finish: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_700_000_000,
  model: "bench",
  choices: [{ index: 0, delta, finish_reason: finish }]
})

const chatEvents = [
  chunk({ role: "assistant", content: "" }),
  ...words.map((content) => chunk({ content })),
  chunk({}, "stop"),
  { ...chunk({}), choices: [], usage }
].map((event) => `data: ${JSON.stringify(event)}\n\n`)

const messageEvents = [
  { type: "message_start", message: { ...message, content: [], stop_reason: null } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  ...words.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: usage.completion_tokens } },
  { type: "message_stop" }
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)

const chunksOf = (events: ReadonlyArray<string>) => events.map((event) => Utf8.encode(event))
const streams = { chat: chunksOf([...chatEvents, "data: [DONE]\n\n"]), messages: chunksOf(messageEvents) }
const wholes = { chat: Utf8.encode(answer), messages: Utf8.encode(JSON.stringify(message)) }

/** Every event is a chunk of its own, as from a provider. */
const respond: Respond = ({ body, path }) => {
  const shape = path.endsWith("/messages") ? "messages" : "chat"
  const isStream = Utf8.decode(body ?? new Uint8Array()).includes('"stream":true')
  return isStream
    ? {
        status: 200,
        headers: { "content-type": "text/event-stream" },
        body: Stream.fromIterable(streams[shape], { chunkSize: 1 })
      }
    : { status: 200, headers: { "content-type": "application/json" }, body: wholes[shape] }
}

const toOther = (body: string): string => JSON.stringify({ ...(JSON.parse(body) as object), model: translated })

const asked = [
  ["a whole answer", conversation],
  [`a stream of ${words.length} words`, streamed]
] as const

const lowest = (taken: ReadonlyArray<number>): number =>
  taken.toSorted((a, b) => a - b)[Math.floor(taken.length / 10)] ?? Number.NaN

NodeRuntime.runMain(
  withBilledCalls(
    Effect.fnUntraced(function* (calls) {
      for (const [name, body] of asked) {
        const both = [yield* calls(body), yield* calls(toOther(body))]
        const taken = both.map((): Array<number> => [])
        for (let i = 0; i < slices; i++) {
          // What writes and cleans up in between falls on both.
          const order = i % 2 === 0 ? [0, 1] : [1, 0]
          for (const j of order) {
            const call = both[j] ?? Effect.void
            const slice = Effect.forEach(Array.from({ length: callsOfSlice }), () => call, { discard: true })
            taken[j]?.push(yield* inSlice(slice, callsOfSlice))
          }
        }
        const [passed = 0, turned = 0] = taken.map(lowest)
        const times = (turned / passed).toFixed(2)
        console.log(`${name}: ${passed.toFixed(1)} µs passed on, ${turned.toFixed(1)} µs translated, ${times} times`)
      }
    }),
    respond
  )
)
