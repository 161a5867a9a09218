import { describe, expect, it } from "@effect/vitest"
import { defaults } from "@tollgate/contract/Names"
import { VideoTask } from "@tollgate/contract/resources/VideoTask"
import { Audit, Carrier, HttpCarrier } from "@tollgate/gateway"
import type { Provider } from "@tollgate/gateway/upstream/Provider"
import { BillingLog, client, Description, Sandbox } from "@tollgate/sandbox"
import { recorded } from "@tollgate/testing/observe/Recorded"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import {
  callOf,
  create,
  fundedCaller,
  micros,
  advance,
  poll,
  provider,
  services,
  store
} from "@tollgate/testing/task/setup"

const isTask = Schema.is(VideoTask)

/** Runs `body` with the sandbox as an in-process upstream. `ask` sends a create to it. */
const withSandbox = <A, E, R>(
  body: (ask: (prompt: string) => Effect.Effect<string>) => Effect.Effect<A, E, R>,
  settings: Pick<Provider, "canceledCost"> = {}
) =>
  Effect.gen(function* () {
    const http = client(yield* Sandbox.make())
    const carrier = HttpCarrier.layer.pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, http)))
    const ask = (prompt: string) =>
      http
        .post("http://sandbox.invalid/apis/v1/services/aigc/video-generation/video-synthesis", {
          headers: { "x-tollgate-async": "enable" },
          body: HttpBody.text(JSON.stringify({ model: "sandbox-video", input: { prompt } }), "application/json")
        })
        .pipe(
          Effect.flatMap((response) => response.text),
          Effect.orDie
        )
    return yield* Carrier.use((carrier) =>
      body(ask).pipe(
        Effect.provide(
          services(carrier, [{ ...provider, ...settings, baseUrl: "http://sandbox.invalid" }]).pipe(
            Layer.provideMerge(store())
          )
        )
      )
    ).pipe(Effect.provide(carrier))
  }).pipe(Effect.provide(BillingLog.layerMemory()))

describe("a task of the sandbox ends as its prompt says", () => {
  it.effect.each([
    ["a river [task 200ms]", "SUCCEEDED", "settled", Number(micros), [{ tasks: 1 }]],
    ["a river [task fails]", "FAILED", "released", 0, []],
    ["a river [task canceled]", "CANCELED", "settled", 0, []],
    // Without the setting that says where it reports what was used.
    ["a river [task canceled half]", "CANCELED", "settled", 0, [{ halves: 1 }]],
    ["a river [task expires]", "UNKNOWN", "running", 0, []],
    ["a river [task never]", "RUNNING", "running", 0, []]
  ] as const)("%s", ([prompt, status, state, charged, billed]) =>
    withSandbox(
      Effect.fnUntraced(function* (ask) {
        const caller = yield* fundedCaller
        const created = yield* create(caller, ask(prompt))
        expect(created).toMatchObject({ status: 200, cost: "pending" })
        yield* advance("10 seconds")
        const { body } = yield* poll(caller, created.id)
        expect(isTask(body)).toBe(true)
        expect(body.output).toMatchObject({ task_id: created.id, task_status: status })
        if (status === "SUCCEEDED") {
          expect(body).toMatchObject({
            output: { orig_prompt: prompt, video_url: expect.stringContaining("/videos/") },
            usage: { video_count: 1 }
          })
        }
        expect(yield* callOf(created.call)).toMatchObject({ state, charged })
        const billingLog = yield* Effect.flatMap(BillingLog, ({ entries }) => entries)
        expect(billingLog.map(({ billed }) => billed)).toEqual(billed)
        expect(billingLog.every(({ requestId }) => requestId === created.call)).toBe(true)
        expect((yield* Audit.run).differences).toEqual([])
      })
    )
  )
})

it.effect("a canceled task costs the part that was made, with the sandbox's own setting", () => {
  const [route] = Description.routes(defaults)
  const { canceledCost } = Option.getOrThrow(Option.fromUndefinedOr(route?.to[0])).provider
  return withSandbox(
    Effect.fnUntraced(function* (ask) {
      const caller = yield* fundedCaller
      const created = yield* create(caller, ask("a river [task canceled half] [task 200ms]"))
      yield* advance("5 seconds")
      expect(yield* poll(caller, created.id)).toMatchObject({
        body: { output: { task_status: "CANCELED" } },
        cost: "settled",
        micros: Number(micros) / 2
      })
      expect((yield* Audit.run).differences).toEqual([])
    }),
    { canceledCost }
  )
})

it.effect("a task that ends is told to who listens for the ends of calls", () => {
  const log = recorded()
  return withSandbox(
    Effect.fnUntraced(function* (ask) {
      const caller = yield* fundedCaller
      for (const prompt of ["a river [task 200ms]", "a river [task fails]"]) yield* create(caller, ask(prompt))
      yield* advance("10 seconds")
      const [made, failed] = log.events.toSorted((a, b) => Number(b.charge - a.charge))
      expect(made).toMatchObject({ kind: "task", operation: "video.create", costState: "settled", charge: micros })
      expect(failed).toMatchObject({ kind: "task", costState: "none", charge: 0n, code: "upstream_failed" })
      expect(log.events).toHaveLength(2)
    })
  ).pipe(Effect.provide(log.layer))
})
