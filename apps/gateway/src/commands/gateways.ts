import { listGateways, Shapes } from "@tollgate/gateway/operator"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { json } from "./inputs.ts"
import { inStore } from "./inStore.ts"
import * as Print from "../terminal/print.ts"

export const gateways = Command.make("gateways", { json }, ({ json }) =>
  inStore(
    Effect.flatMap(listGateways, (found) =>
      json
        ? Print.json({ gateways: found.map(Shapes.runningGateway) })
        : Print.table(
            found,
            {
              gateway: ({ id }) => id,
              name: ({ name }) => name,
              version: ({ version }) => version,
              started: ({ startedAt }) => Shapes.time(startedAt),
              "last beat": ({ silentMillis }) => `${(silentMillis / 1_000).toFixed(1)} s ago`,
              config: ({ config, configDiffers }) =>
                `${config === "" ? "none" : config.slice(0, 12)}${configDiffers ? " (differs)" : ""}`
            },
            "No gateway uses this store, or it is embedded. An embedded store has one gateway and no list."
          )
    )
  )
).pipe(Command.withDescription("List the gateways that share the store in PostgreSQL"))
