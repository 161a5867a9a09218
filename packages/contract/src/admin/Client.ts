import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { GrantTerms } from "../account/Access.ts"
import * as Api from "../Api.ts"
import { Grant } from "./Grant.ts"
import { Label } from "../account/Key.ts"
import { Text } from "../account/Amount.ts"

/** A service account: an OAuth client of a program. Terms that are left out are those that people are proposed. `null` removes a limit. */
export const NewClient = Schema.Struct({
  name: Label,
  reads_usage: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Whether it may also read what the account used."
  }),
  ...Struct.omit(GrantTerms.fields, ["ask_above_micros_usd"])
})
export interface NewClient extends Schema.Schema.Type<typeof NewClient> {}

export const MadeClient = Schema.Struct({
  ...Grant.fields,
  client_secret: Text("This is the client's secret, shown this once: keep it.")
}).annotate({ identifier: "MadeClient" })
export interface MadeClient extends Schema.Schema.Type<typeof MadeClient> {}

export const Clients = Schema.Struct({ clients: Schema.Array(Grant) })
export interface Clients extends Schema.Schema.Type<typeof Clients> {}

export const clients = {
  clients: Api.get("/clients", {
    summary: "The service accounts, including ended ones",
    description: "Each is a grant: `changeGrant` changes its terms, and `revokeGrant` ends it.",
    success: Clients
  }),
  createClient: Api.post("/accounts/{id}/clients", {
    summary: "Creates a service account. Only this answer has its secret",
    role: ["support"],
    description: "Nobody can allow more than `oauth.grants.most` of the configuration file.",
    body: NewClient,
    success: MadeClient,
    status: 201,
    example: {
      body: { name: "Nightly report", limit_micros_usd: 50_000_000, day_limit_micros_usd: 2_000_000 }
    }
  })
} as const
