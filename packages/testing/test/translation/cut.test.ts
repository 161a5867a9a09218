import { describe, expect, it } from "@effect/vitest"
import { Host, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { priced, streams } from "@tollgate/testing/models"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

// Streams that end after any of their bytes, behind callers of the other protocols.

const provider = (port: number, protocol: string, lacks: ReadonlyArray<string>) => ({
  name: "upstream",
  baseUrl: `http://127.0.0.1:${port}`,
  protocol,
  headers: {},
  forwardedHeaders: [],
  deadlineMillis: 5_000,
  idleMillis: 5_000,
  answerBytes: 33_554_432,
  eventBytes: 1_048_576,
  connections: 64,
  private: true,
  breaker: false,
  lacks
})

const events = (all: ReadonlyArray<object | string>): string =>
  all
    .map((each) => {
      const name = typeof each === "object" && "type" in each ? `event: ${String(each.type)}\n` : ""
      return `${name}data: ${typeof each === "string" ? each : JSON.stringify(each)}\n\n`
    })
    .join("")

const chunk = (delta: object, finish: string | null = null) => ({
  id: "c",
  model: "sandbox",
  choices: [{ index: 0, delta, finish_reason: finish }]
})
const response = { id: "r", model: "sandbox", status: "in_progress", output: [] }
const said = { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "Rivers" }] }

/** An answer of each protocol, and the end of the event without which it is not complete: its finish reason and its usage. */
const answers = {
  openai: {
    protocol: "openai",
    lacks: ["responses"],
    text: events([
      chunk({ role: "assistant", content: "Rivers" }),
      chunk({ tool_calls: [{ index: 0, id: "t", type: "function", function: { name: "look", arguments: "{}" } }] }),
      chunk({}, "tool_calls"),
      { id: "c", choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } },
      "[DONE]"
    ]),
    last: '"completion_tokens":4}}'
  },
  responses: {
    protocol: "openai",
    lacks: ["chat"],
    text: events([
      { type: "response.created", response },
      { type: "response.output_item.added", output_index: 0, item: { ...said, content: [] } },
      { type: "response.output_text.delta", item_id: "m", output_index: 0, delta: "Rivers" },
      { type: "response.output_item.done", output_index: 0, item: said },
      {
        type: "response.completed",
        response: { ...response, status: "completed", output: [said], usage: { input_tokens: 9, output_tokens: 4 } }
      }
    ]),
    last: '"output_tokens":4}}}'
  },
  anthropic: {
    protocol: "anthropic",
    lacks: [],
    text: events([
      {
        type: "message_start",
        message: {
          id: "m",
          type: "message",
          role: "assistant",
          model: "sandbox",
          content: [],
          usage: { input_tokens: 9, output_tokens: 1 }
        }
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Rivers" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 4 } },
      { type: "message_stop" }
    ]),
    last: '"usage":{"output_tokens":4}}'
  },
  gemini: {
    protocol: "gemini",
    lacks: [],
    text: events([
      { candidates: [{ content: { role: "model", parts: [{ text: "Rivers" }] }, index: 0 }], responseId: "r" },
      {
        candidates: [{ content: { role: "model", parts: [{ text: " run" }] }, finishReason: "STOP", index: 0 }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
        responseId: "r"
      }
    ]),
    last: '"responseId":"r"}'
  }
} as const

/** What tells a caller that its answer is whole. */
const ending =
  /"finish_reason":"|\[DONE\]|response\.(?:completed|incomplete)|message_stop|"stop_reason":"|"finishReason"/

for (const [name, { lacks, last, protocol, text }] of Object.entries(answers)) {
  const complete = text.lastIndexOf(last) + last.length
  describe(`a stream of ${name} that ends after any of its bytes`, () => {
    for (const [caller, style] of Object.entries(streams)) {
      if (caller === name || (name === "gemini" && caller.startsWith("gemini"))) continue
      it.live(
        `ends with an error for a caller of ${caller}, and is charged as what it is`,
        () =>
          Effect.scoped(
            Effect.gen(function* () {
              const { port } = yield* httpUpstream((res, { body }) => {
                const [, at = "0", how] = /cut (\d+) (end|break)/.exec(body) ?? []
                res.writeHead(200, { "content-type": "text/event-stream" })
                if (at !== "0") res.write(text.slice(0, Number(at)))
                if (how === "end") res.end()
                else setImmediate(() => res.destroy())
              })
              const host = Host.layerNode.pipe(
                Layer.provideMerge(
                  TestGateway.layer({
                    operations: priced,
                    routes: [
                      { operation: style.operation, to: [{ provider: provider(port, protocol, lacks), weight: 1 }] }
                    ]
                  })
                )
              )
              const cuts = Array.from({ length: text.length + 1 }, (_, at) => at).flatMap((at) => [
                [at, "end"] as const,
                [at, "break"] as const
              ])
              const wrong: Array<string> = []
              const states: Record<string, number> = {}
              yield* Effect.forEach(
                cuts.filter(([at]) => process.env["CUT_ALL"] === "1" || at % 5 === 0 || Math.abs(at - complete) < 5),
                Effect.fnUntraced(function* ([at, how]) {
                  const answer = yield* Effect.result(
                    ask("POST", style.path, style.headers, style.body(`cut ${at} ${how}`))
                  )
                  if (answer._tag === "Failure") {
                    wrong.push(`${at} ${how}: ${String(answer.failure).slice(0, 100)}`)
                    return
                  }
                  const { status, text: got } = answer.success
                  const isWhole = status === 200 && ending.test(got)
                  const state = /cost_state=(\w+)/.exec(got)?.[1] ?? String(status)
                  const key = `${how} ${at >= complete ? "whole" : "cut"} ${isWhole ? "looks whole" : "is cut"} ${/error/.test(got) ? "error" : "no error"} ${state}`
                  states[key] = (states[key] ?? 0) + 1
                  if (isWhole && at < complete) wrong.push(`${at} ${how} looks whole: ${got.slice(-300)}`)
                  if (how === "end" && !isWhole && at >= complete + 2)
                    wrong.push(`${at} ${how} looks cut: ${got.slice(-300)}`)
                  if (!isWhole && !got.includes("error")) wrong.push(`${at} ${how} has no error: ${got.slice(-300)}`)
                }),
                { concurrency: 8 }
              ).pipe(Effect.provide(host))
              if (process.env["CUT_SHOW"] === "1")
                console.log(name, "->", caller, states, wrong.length, wrong.slice(0, 3))
              expect(wrong).toEqual([])
            })
          ),
        120_000
      )
    }
  })
}
