import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import * as Utf8 from "@tollgate/contract/Utf8"
import { Carrier } from "@tollgate/gateway"
import { OnMilestone } from "@tollgate/ledger/ledger/Ledger"
import { refuse } from "@tollgate/contract/errors/Refused"
import { WatchSettings } from "@tollgate/gateway/call/task/WatchedTask"
import { UpstreamCarrier } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { create, fundedCaller, provider, services, store } from "./setup.ts"

// Starts tasks until it is killed, or kills itself when it reaches `milestone` for the nth time. Without a milestone it
// starts none, and sends "ended" to its parent when every task has ended.
const [filename = "", baseUrl = "", milestone = "", nth = "0"] = process.argv.slice(2)

let left = Number(nth)
const crash = (reached: string) => {
  if (reached === milestone && --left === 0) process.kill(process.pid, "SIGKILL")
}

const upstream = { ...provider, baseUrl }

const ask = (carrier: Carrier["Service"], prompt: string) =>
  carrier
    .carry({
      method: "POST",
      origin: baseUrl,
      path: videoCreate.path ?? "",
      headers: { "content-type": "application/json", "x-tollgate-async": "enable" },
      body: Utf8.encode(JSON.stringify({ model: "sandbox-video", input: { prompt } })),
      deadlineMillis: 10_000,
      idleMillis: 10_000,
      private: true,
      isStreamed: () => false
    })
    .pipe(
      Effect.map(({ body }) => (body instanceof Uint8Array ? Utf8.decode(body) : "")),
      Effect.mapError(() => refuse("upstream_failed", "broken"))
    )

const startTasks = Effect.fnUntraced(function* (carrier: Carrier["Service"]) {
  const caller = yield* fundedCaller
  for (const end of ["200ms", "fails", "50ms"]) yield* create(caller, ask(carrier, `[task 100ms] [task ${end}]`))
})

const waitForEnd = Effect.gen(function* () {
  const sql = yield* SqlClient
  while ((yield* sql`SELECT id FROM tasks WHERE ended_at IS NULL`).length > 0) yield* Effect.sleep(50)
  process.send?.("ended")
})

const program = Carrier.use((carrier) =>
  Effect.gen(function* () {
    if (milestone === "") yield* waitForEnd
    else yield* Effect.forever(startTasks(carrier))
  }).pipe(Effect.provide(services(carrier, [upstream]).pipe(Layer.provideMerge(store(filename)))))
).pipe(
  Effect.provide(UpstreamCarrier.layer()),
  Effect.provideService(OnMilestone, crash),
  Effect.provideService(WatchSettings, {
    firstMillis: 30,
    maxMillis: 100,
    concurrency: 8,
    notFoundMillis: 60_000,
    giveUpMillis: 60_000,
    keptMillis: 3_600_000
  })
)

process.on("disconnect", () => process.exit(0))
await Effect.runPromise(program)
