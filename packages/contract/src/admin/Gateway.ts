import * as Schema from "effect/Schema"
import { Flag, Text, Time } from "../account/Amount.ts"
import * as Api from "../Api.ts"

export const RunningGateway = Schema.Struct({
  id: Text("Calls and tasks that it began have this owner."),
  name: Text("Its host and process."),
  version: Schema.String,
  started_at: Time,
  silent_ms: Schema.Int.annotate({ description: "Since its last heartbeat, by the store's clock." }),
  config: Text("Identifies what is in its configuration file. Empty without a file."),
  config_differs: Flag("Whether most gateways have another configuration.")
}).annotate({ identifier: "RunningGateway" })
export interface RunningGateway extends Schema.Schema.Type<typeof RunningGateway> {}

export const RunningGateways = Schema.Struct({
  gateways: Schema.Array(RunningGateway).annotate({
    description: "Empty for the embedded store, which only one gateway can use."
  })
})
export interface RunningGateways extends Schema.Schema.Type<typeof RunningGateways> {}

export const gateways = {
  gateways: Api.get("/gateways", { summary: "The gateways that share the store", success: RunningGateways })
} as const
