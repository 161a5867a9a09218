import { OnMilestone } from "@tollgate/ledger/ledger/Ledger"
import { NodeRuntime } from "@tollgate/server"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { providerAt } from "../upstream.ts"
import { OAuthGateway } from "./OAuthGateway.ts"

// A gateway that kills itself when a call has used an approval, before its money is reserved.
const [store = "", upstream = "", baseUrl = ""] = process.argv.slice(2)

const gateway = OAuthGateway.layer({
  baseUrl,
  providers: { rerank: providerAt(Number(new URL(upstream).port)) },
  ...(store.startsWith("postgres")
    ? { store: PostgresClient.layer({ address: Redacted.make(store) }) }
    : { filename: store })
})

const serve = Effect.gen(function* () {
  const { listening } = yield* OAuthGateway
  process.send?.({ baseUrl: listening })
})

const killed = Layer.succeed(OnMilestone, (reached) => {
  if (reached === "approved") process.kill(process.pid, "SIGKILL")
})

process.on("disconnect", () => process.exit(0))
NodeRuntime.runMain(Layer.launch(Layer.effectDiscard(serve).pipe(Layer.provide(gateway), Layer.provide(killed))))
