import { describe, expect, it } from "@effect/vitest"
import {
  chatCompletions,
  chatCompletionsStream,
  Client,
  generateContent,
  messages,
  Policy,
  quote,
  rerank,
  textOf,
  tweetQuotes,
  usage,
  videoCreate,
  withIdempotencyKey
} from "@tollgate/client"
import * as HttpCarrier from "@tollgate/client/HttpCarrier"
import {
  fail,
  raw,
  reply,
  reset,
  says,
  type ScriptedGateway,
  scriptedGateway,
  sequence
} from "@tollgate/client/testing"
import { formatUsd, fromMicros, micro } from "@tollgate/contract/Money"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import { HttpClientError, TransportError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { priced } from "@tollgate/testing/models"

const question = { query: "river mountain sea", documents: ["river mountain sea shore ".repeat(50)] } as const
const film = { model: "sandbox-video", input: { prompt: "a river" } }
const dialogue = { model: "sandbox", messages: [{ role: "user" as const, content: "Why do rivers bend?" }] }

interface Connection {
  /** Scenarios of the sandbox for the attempts in order; `lost` is an answer that does not arrive. */
  readonly scenarios?: ReadonlyArray<string>
  readonly credential?: string
  readonly retry?: Partial<Policy.Policy>
}

const real = ({ credential = key, retry = Policy.none, scenarios = [] }: Connection) =>
  Layer.unwrap(
    Host.use(({ baseUrl, http }) => {
      const rest = scenarios.values()
      const transport = HttpClient.make((request) => {
        const scenario = rest.next().value ?? "none"
        if (scenario !== "lost") {
          return http.execute(HttpClientRequest.setHeader(request, "x-tollgate-scenario", scenario))
        }
        const reason = new TransportError({ request, cause: new Error("scripted"), description: "scripted" })
        return http.execute(request).pipe(
          Effect.tap((response) => response.text),
          Effect.andThen(Effect.fail(new HttpClientError({ reason })))
        )
      })
      return Effect.succeed(
        Client.layer({ credential, baseUrl, retry }).pipe(
          Layer.provide(HttpCarrier.layer),
          Layer.provide(Layer.succeed(HttpClient.HttpClient, transport))
        )
      )
    })
  )

const charged = Effect.gen(function* () {
  const { sql } = yield* TestGateway
  const [row] = yield* sql.unsafe<{ readonly sum: number }>("SELECT COALESCE(SUM(charged), 0) AS sum FROM calls")
  return BigInt(row?.sum ?? -1)
})

/** What differs from one request to the next. */
const ids = /(req|task)_[A-Za-z0-9]+|\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g

const anonymous = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, field: unknown) => {
      if (name === "idempotencyKey") return "a key"
      if (name === "cause") return undefined
      return typeof field === "bigint" ? String(field) : field
    }).replace(ids, "…")
  )

/** JSON leaves out the body of an error. */
const bodyIn = (result: Result.Result<unknown, unknown>): unknown => {
  const failure = Result.isFailure(result) ? result.failure : undefined
  return failure instanceof Error && "body" in failure ? anonymous(failure.body) : undefined
}

/** The real gateway's answer, or its error's message and body, and the charge in USD. */
interface Seen {
  readonly value: never
  readonly message?: string
  readonly body?: string
  readonly cost: string
}

interface Case<E> extends Connection {
  readonly program: Effect.Effect<unknown, E, Client>
  /** Scripts the gateway's texts from `seen`; all other behaviour is compared. */
  readonly script: (gateway: ScriptedGateway, seen: Seen) => unknown
}

const agrees = <E>(name: string, { program, script, ...connection }: Case<E>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const seen = yield* Effect.result(program).pipe(Effect.provide(real(connection)))
      const taken = yield* charged
      const gateway = scriptedGateway()
      const cost = formatUsd(fromMicros(micro(taken)))
      const { body, message } = seen._tag === "Failure" ? (seen.failure as Partial<Seen>) : {}
      script(gateway, {
        value: (seen._tag === "Success" ? seen.success : undefined) as never,
        ...(message === undefined ? {} : { message }),
        ...(body === undefined ? {} : { body }),
        cost
      })
      const layer = gateway.layer({ retry: connection.retry ?? Policy.none })
      const scripted = yield* Effect.result(program).pipe(Effect.provide(layer))
      expect(anonymous(scripted)).toEqual(anonymous(seen))
      expect(bodyIn(scripted)).toEqual(bodyIn(seen))
      expect(gateway.charges.reduce((sum, { micros }) => sum + BigInt(micros), 0n)).toBe(taken)
      gateway.check()
    }).pipe(
      Effect.provide(
        Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" })))
      )
    )
  )

const soon = { backoffMillis: 1 }
const twice = Effect.all([rerank(question), rerank(question)]).pipe(withIdempotencyKey("order 7"))

describe("the scripted gateway and the real one agree on", () => {
  agrees("an answer and its charge", {
    program: rerank(question),
    script: (gateway, { cost, value }) => gateway.on(rerank, reply(value, { cost }))
  })
  agrees("a quote of a free operation", { program: quote(usage, { start_time: 1 }), script: () => {} })
  agrees("a repeated key", {
    program: twice,
    script: (gateway, { cost, value }) => gateway.on(rerank, sequence(reply(value[0], { cost })))
  })
  agrees("a key repeated with another request", {
    program: Effect.andThen(rerank(question), rerank({ ...question, query: "sea" })).pipe(
      withIdempotencyKey("order 7")
    ),
    script: (gateway, { cost }) =>
      gateway.on(rerank, sequence(reply({ model: "rerank", results: [], usage: { total_tokens: 1 } }, { cost })))
  })
  agrees("an answer that is lost", {
    program: rerank(question),
    scenarios: ["lost"],
    retry: soon,
    script: (gateway, { cost, value }) => gateway.on(rerank, sequence(reset(reply(value, { cost }))))
  })
  agrees("an upstream that breaks off", {
    program: rerank(question),
    scenarios: ["reset"],
    retry: soon,
    script: (gateway) => gateway.on(rerank, sequence(fail("upstream_failed")))
  })
  agrees("an upstream that is away, and then is not", {
    program: rerank(question),
    scenarios: ["status; code=503"],
    retry: soon,
    script: (gateway, { cost, value }) => gateway.on(rerank, sequence(raw(503, "away"), reply(value, { cost })))
  })
  agrees("an upstream's own error", {
    program: rerank(question),
    scenarios: ["status; code=500"],
    script: (gateway, { body }) =>
      gateway.on(rerank, raw(500, body ?? "", { headers: { "content-type": "application/json" } }))
  })
  agrees("a page in place of an answer", {
    program: rerank(question),
    scenarios: ["html"],
    script: (gateway, { message = "" }) => gateway.on(rerank, fail("answer_not_metered", { message }))
  })
  agrees("a stream that reports an error", {
    program: Stream.runFold(
      chatCompletionsStream(dialogue),
      () => "",
      (text, event) => text + textOf(event)
    ).pipe(Effect.mapError(({ _tag, outcome }: { _tag: string; outcome: string }) => ({ _tag, outcome, message: "" }))),
    scenarios: ["stream-error; after=4"],
    script: (gateway, { cost }) => gateway.on(chatCompletions, says(["a"], { end: "upstream_failed", cost }))
  })

  for (const [family, program, operation] of [
    ["openai", rerank(question), rerank],
    ["anthropic", messages({ model: "sandbox", messages: [] }), messages],
    ["gemini", generateContent({ path: { model: "sandbox" }, body: { contents: [] } }), generateContent],
    ["data", tweetQuotes({ tweetId: "1" }), tweetQuotes],
    ["usage", usage({ start_time: 1 }), usage],
    ["task", videoCreate(film), videoCreate]
  ] as const) {
    agrees(`a credential that is refused, in the shape of ${family}`, {
      program: program as Effect.Effect<unknown, unknown, Client>,
      credential: "tg_unknown",
      script: (gateway, { message = "" }) =>
        gateway.on(operation as typeof rerank, fail("invalid_credential", { message }))
    })
  }
})
