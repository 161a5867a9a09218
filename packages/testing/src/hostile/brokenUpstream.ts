import * as Effect from "effect/Effect"
import type { Socket } from "node:net"
import type { streams } from "../models.ts"
import { tcpUpstream } from "../upstream.ts"
import { pour } from "./endlessUpstream.ts"

/** How a stream breaks after its first events. */
export const breaks = [
  "is cut between two events",
  "is cut in an event",
  "is cut in the framing",
  "falls silent",
  "ends without its last event",
  "ends in an event",
  "sends an endless event"
] as const
export type Break = (typeof breaks)[number]

type Stream = keyof typeof streams

/** The text of the events before the break. */
export const hello = "Hello, hello, hello"

const event = (data: object, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`

const usage = { input_tokens: 5, output_tokens: 1 }
const gemini = JSON.stringify({ candidates: [{ index: 0, content: { role: "model", parts: [{ text: hello }] } }] })

/** The first events of each kind of stream, and the beginning of a next one. */
const begun: Readonly<Record<Stream, readonly [begin: string, next: string]>> = {
  openai: [
    event({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model: "sandbox",
      choices: [{ index: 0, delta: { role: "assistant", content: hello }, finish_reason: null }]
    }),
    'data: {"id":"c1","choices":[{"index":0,"delta":{"content":"'
  ],
  responses: [
    event(
      { type: "response.created", sequence_number: 0, response: { id: "r1", object: "response", output: [] } },
      "response.created"
    ) +
      event(
        { type: "response.output_text.delta", sequence_number: 1, item_id: "m1", delta: hello },
        "response.output_text.delta"
      ),
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":2,"delta":"'
  ],
  anthropic: [
    event(
      {
        type: "message_start",
        message: {
          id: "m1",
          type: "message",
          role: "assistant",
          model: "sandbox",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage
        }
      },
      "message_start"
    ) +
      event(
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        "content_block_start"
      ) +
      event(
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: hello } },
        "content_block_delta"
      ),
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"'
  ],
  gemini: [`data: ${gemini}\r\n\r\n`, 'data: {"candidates":[{"index":0,"content":{"parts":[{"text":"'],
  "gemini, as an array": [`[${gemini}`, ',\r\n{"candidates":[{"index":0,"content":{"parts":[{"text":"']
}

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

const headOf = (stream: Stream): string =>
  [
    "HTTP/1.1 200 OK",
    `Content-Type: ${stream === "gemini, as an array" ? "application/json" : "text/event-stream"}`,
    "Transfer-Encoding: chunked",
    "Connection: close",
    "",
    ""
  ].join("\r\n")

/** Sends the stream and breaks it. Returns the bytes of an endless event that the system took. */
const send = (socket: Socket, stream: Stream, how: Break | "is empty", eventBytes: number): Promise<number> => {
  const [begin, next] = begun[stream]
  const head = headOf(stream)
  const closed = () => new Promise<number>((resolve) => socket.once("close", () => resolve(0)))
  switch (how) {
    case "is empty":
      socket.write(`${head}0\r\n\r\n`)
      return closed()
    case "is cut between two events":
      socket.end(head + chunk(begin))
      return closed()
    case "is cut in an event":
      socket.end(head + chunk(begin + next))
      return closed()
    case "is cut in the framing":
      socket.end(`${head}${chunk(begin)}this is no length\r\n`)
      return closed()
    case "falls silent":
      socket.write(head + chunk(begin + next))
      return closed()
    case "ends without its last event":
      socket.write(`${head}${chunk(begin)}0\r\n\r\n`)
      return closed()
    case "ends in an event":
      socket.write(`${head}${chunk(begin + next)}0\r\n\r\n`)
      return closed()
    case "sends an endless event":
      return pour(socket, head + chunk(begin + next), Buffer.from(chunk("x".repeat(eventBytes))))
  }
}

const headerOf = (request: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, "im").exec(request)?.[1]?.trim()

/** The headers by which a call says how it is answered. */
export const brokenAs = (stream: Stream, how: Break | "is empty") => ({ "x-stream": stream, "x-break": how })
export const forwardedHeaders = ["x-stream", "x-break"]

/** An upstream whose streams all break, as the headers of a call say. */
export const brokenUpstream = (eventBytes: number) =>
  Effect.gen(function* () {
    const accepted: Array<Promise<number>> = []
    const upstream = yield* tcpUpstream((socket) => {
      socket.once("data", (request) => {
        const stream = headerOf(String(request), "x-stream")
        const how = [...breaks, "is empty" as const].find((way) => way === headerOf(String(request), "x-break"))
        if (stream === undefined || !(stream in begun) || how === undefined) return socket.destroy()
        accepted.push(send(socket, stream as Stream, how, eventBytes))
        return undefined
      })
    })
    return {
      port: upstream.port,
      /** How much of each endless event was taken before its connection was closed. */
      accepted: Effect.promise(() => Promise.all(accepted))
    }
  })
