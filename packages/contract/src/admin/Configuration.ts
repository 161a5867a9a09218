import * as Schema from "effect/Schema"
import { Flag, Text, TextOrNull, Time } from "../account/Amount.ts"
import * as Api from "../Api.ts"

export const Configuration = Schema.Struct({
  file: TextOrNull("The name of the file, without its folder. `null`: the gateway runs on its defaults."),
  loaded_at: Time,
  version: Text("Of this gateway."),
  upstreams: Schema.Array(Schema.String),
  sandbox: Schema.Boolean
}).annotate({ identifier: "Configuration" })
export interface Configuration extends Schema.Schema.Type<typeof Configuration> {}

/** What is in the file now. */
export const ConfigurationCheck = Schema.Struct({
  valid: Schema.Boolean,
  problems: Schema.Array(Schema.String).annotate({ description: "With line and reason. Empty if the file is valid." }),
  in_force: Flag("Whether the whole file is in use after this request."),
  needs_restart: Schema.optionalKey(Schema.Array(Schema.String)).annotate({
    description: "Changed sections that take effect only at the next start."
  })
}).annotate({ identifier: "ConfigurationCheck" })
export interface ConfigurationCheck extends Schema.Schema.Type<typeof ConfigurationCheck> {}

export const configuration = {
  configuration: Api.get("/config", { summary: "The current configuration", success: Configuration }),
  checkConfiguration: Api.post("/config/check", {
    summary: "Checks the configuration file as it is now. Changes nothing",
    role: Api.everybody,
    body: Api.NoFields,
    success: ConfigurationCheck,
    replay: "free"
  }),
  reloadConfiguration: Api.post("/config/reload", {
    summary: "Applies the configuration file if it is valid",
    body: Api.NoFields,
    success: ConfigurationCheck,
    replay: "free"
  })
} as const
