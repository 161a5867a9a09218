import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { chatCompletions } from "@tollgate/contract/operations/chatCompletions"
import { generateContent } from "@tollgate/contract/operations/generateContent"
import { messages } from "@tollgate/contract/operations/messages"
import { responses } from "@tollgate/contract/operations/responses"
import { streamGenerateContent } from "@tollgate/contract/operations/streamGenerateContent"
import type { CostBook } from "@tollgate/gateway/operator"
import { isByModel } from "@tollgate/contract/price/Price"
import { Composition, Http, ReadOn, readOnDefaults } from "@tollgate/gateway"
import { OnMilestone } from "@tollgate/ledger/ledger/Ledger"
import { routesTo } from "@tollgate/gateway/upstream/Route"
import { UpstreamCarrier, NodeHttpServer, NodeRuntime, NodeSqliteClient } from "@tollgate/server"
import { PostgresClient } from "@tollgate/server/postgres"
import { models } from "../invoice/Reported.ts"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { withoutLimits } from "../switchedOff.ts"

// A gateway that kills itself when it reaches a milestone for the nth time. Its store is a file, or an address of PostgreSQL.
const [filename = "", upstream = "", milestone = "", nth = "0"] = process.argv.slice(2)

let left = Number(nth)
const crash = (reached: string) => {
  if (reached === milestone && --left === 0) process.kill(process.pid, "SIGKILL")
}

/** Each upstream charges what its calls are sold for, so that cost and charge must be equal. */
const prices: CostBook = {
  of: ({ price }, model = "") =>
    isByModel(price) && price.models[model] !== undefined
      ? { ...price, models: { [model]: price.models[model] } }
      : isByModel(price)
        ? undefined
        : price
}

const provider = (protocol: string) => ({
  name: protocol,
  prices,
  baseUrl: upstream,
  protocol,
  deadlineMillis: 20_000,
  breaker: false
})

const definition: Composition.Definition = {
  catalogue: Catalogue.make(
    operations.map((operation) =>
      isByModel(operation.price) ? { ...operation, price: { ...operation.price, models } } : operation
    ),
    defaults
  ),
  routes: routesTo({
    rerank: provider("json"),
    [chatCompletions.id]: provider("openai"),
    [responses.id]: provider("openai"),
    [messages.id]: provider("anthropic"),
    [generateContent.id]: provider("gemini"),
    [streamGenerateContent.id]: provider("gemini")
  })
}

const patience = "5 minutes"

const serve = Effect.gen(function* () {
  const { gateway } = yield* Composition.make(definition, withoutLimits(Composition.all()))
  yield* HttpServer.serveEffect(Http.app(gateway))
  const { address } = yield* HttpServer.HttpServer
  process.send?.({ baseUrl: HttpServer.formatAddress(address) })
})

const layer = Layer.effectDiscard(serve).pipe(
  // Callers of a campaign may take long to send a request: a machine that stalls would be told 408.
  Layer.provide(
    NodeHttpServer.layer({ host: "127.0.0.1", port: 0, headersTimeout: patience, requestTimeout: patience })
  ),
  Layer.provide(UpstreamCarrier.layer()),
  Layer.provide(Layer.succeed(OnMilestone, crash)),
  // A test ends what is read on, however slow the machine is.
  Layer.provide(Layer.succeed(ReadOn, { ...readOnDefaults, millis: 600_000 })),
  Layer.provide(Composition.layerStore(Redacted.make(new Uint8Array(32).fill(7)))),
  Layer.provide(
    Layer.suspend((): Layer.Layer<SqlClient, SqlError> =>
      filename.startsWith("postgres")
        ? PostgresClient.layer({ address: Redacted.make(filename) })
        : NodeSqliteClient.layer({ filename })
    )
  )
)

process.on("disconnect", () => process.exit(0))
NodeRuntime.runMain(Layer.launch(layer))
