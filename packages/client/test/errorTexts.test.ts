import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import * as ApiError from "@tollgate/contract/errors/ApiError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { PagingStuck } from "../src/index.ts"
import * as Contracts from "../src/promises/verifyContract.ts"
import * as Calls from "../src/errors/errors.ts"
import * as Links from "../src/workflows/link/link.ts"
import { CallAborted } from "../src/promises/CallAborted.ts"
import * as Streams from "../src/events/errors.ts"
import * as Trace from "../src/call/trace.ts"
import * as Videos from "../src/workflows/video/pollTask.ts"

type Made = new (fields: Fields) => Error & { readonly _tag: string }

const classes: ReadonlyArray<Made> = Object.values({
  ...ApiError.byStatus,
  UnexpectedStatus: ApiError.UnexpectedStatus,
  ...Calls,
  ...Streams,
  ...Videos,
  ...Links,
  ...Contracts,
  PagingStuck
}).filter((exported) => "prototype" in exported && exported.prototype instanceof Error) as never

type Fields = Readonly<Record<string, unknown>>

const task = { output: { task_id: "t_1", task_status: "FAILED", long: "LONG" } }

/** A value for every field that any class has. Each class gets all of them. */
const values: Fields = {
  operation: "rerank",
  message: "No more today.",
  status: 429,
  code: "rate_limit_exceeded",
  type: "rate_limit_error",
  requestId: "req_1",
  retryAfter: 1_500,
  outcome: "not executed",
  charge: { state: "settled", micros: 25, usd: "0.000025" },
  idempotencyKey: "key_1",
  headers: { "x-long": "LONG" },
  body: "LONG",
  data: "LONG",
  task,
  taskId: "t_1",
  text: "LONG",
  envelope: { code: 400, data: "LONG" },
  cause: new Error("the socket closed"),
  events: 3,
  limit: "idle",
  millis: 5,
  most: { usd: "1", micros: 1_000_000 },
  left: { usd: "0.5", micros: 500_000 },
  expiresAt: 1,
  client: {},
  server: { contentHash: "c", docsRevision: "d" },
  why: "missing",
  cursor: "c_1",
  pages: 2
}

const samples = classes.map((Made): [string, Error, Fields] => {
  const error = new Made(values)
  return [error._tag, error, values]
})

const logged = (error: Error) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))
    yield* Effect.logError("failed", Cause.fail(error)).pipe(Effect.provide(Logger.layer([logger])))
    return lines.join("\n")
  })

const shown = ["status", "code", "type", "requestId", "outcome", "idempotencyKey", "retryAfter", "taskId", "operation"]

describe.each(samples)("%s shows its tag, message and short fields", (tag, error, fields) => {
  const expectAll = (text: string) => {
    for (const part of [tag, error.message]) expect(text).toContain(part)
    for (const name of shown) expect(text).toContain(String(fields[name]))
    expect(text).toContain("25")
    expect(text).not.toContain("LONG")
  }

  it.each([
    ["console.log", () => inspect(error)],
    ["console.log of an object that holds it", () => inspect({ list: [{ error }] }, { depth: 5 })],
    ["console.log of an error with it as cause", () => inspect(new Error("outer", { cause: error }))],
    ["console.log without custom texts", () => inspect(error, { customInspect: false })],
    ["String", () => String(error)],
    ["JSON.stringify", () => JSON.stringify(error)],
    ["JSON.stringify of an object that holds it", () => JSON.stringify({ list: [error] })],
    ["the stack", () => error.stack ?? ""],
    ["Cause.pretty", () => Cause.pretty(Cause.fail(error))],
    ["a defect", () => Cause.pretty(Cause.die(error))]
  ])("%s", (_, text) => expectAll(text()))

  it.effect("Effect's log", () => Effect.map(logged(error), expectAll))

  it("keeps the rest readable", () => {
    expect(error).toMatchObject(fields)
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe(tag)
  })

  it("can be sent to another thread, with its short fields", () => {
    // The platform drops the fields of an error itself.
    expect(structuredClone(error)).not.toHaveProperty("operation")
    const cloned: unknown = structuredClone(JSON.parse(JSON.stringify(error)))
    expect(cloned).toMatchObject({ _tag: tag, message: error.message, cause: expect.stringContaining("socket closed") })
    for (const name of [...shown, "charge"]) expect(cloned).toHaveProperty(name, fields[name])
    expect(JSON.stringify(cloned)).not.toContain("LONG")
  })

  it("shows its cause", () => {
    for (const text of [inspect(error), JSON.stringify(error), Cause.pretty(Cause.fail(error))]) {
      expect(text).toContain("the socket closed")
    }
  })
})

it("an aborted call shows its operation, outcome and key", () => {
  const reason = new DOMException("enough", "AbortError")
  const error = new CallAborted({ ...Trace.make(), operation: "rerank", idempotencyKey: "key_1", sent: true }, reason)
  for (const text of [
    inspect(error),
    inspect({ error }),
    String(error),
    JSON.stringify(error),
    Cause.pretty(Cause.die(error))
  ]) {
    for (const part of ["AbortError", "CallAborted", "was aborted", "rerank", "unknown", "key_1"]) {
      expect(text).toContain(part)
    }
  }
  expect(inspect(error)).toContain("enough")
})

it("an error prints as errors do, with its fields below the message", () => {
  const { headers, body } = { headers: {}, body: "" }
  const charge = { state: "none" } as const
  const error = new ApiError.NotFound({
    operation: "rerank",
    status: 404,
    message: "No.",
    outcome: "not executed",
    charge,
    headers,
    body
  })
  const [title, fields, frame] = inspect(error).split("\n")
  expect(title).toBe("NotFound: No.")
  expect(fields).toBe(`    {"operation":"rerank","status":404,"outcome":"not executed","charge":{"state":"none"}}`)
  expect(frame).toContain("at ")
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    _tag: "NotFound",
    message: "No.",
    operation: "rerank",
    status: 404,
    outcome: "not executed",
    charge
  })
})

it.each([{ cause: {} as Record<string, unknown> }, { cause: 1n }, { cause: null }, { cause: Symbol("s") }])(
  "any cause can be printed: %s",
  ({ cause }) => {
    if (typeof cause === "object" && cause !== null) cause["itself"] = cause
    const error = new Calls.CredentialUnavailable({ operation: "o", message: "m", outcome: "not executed", cause })
    for (const text of [inspect(error), String(error), JSON.stringify(error)]) expect(text).toContain("Credential")
  }
)
