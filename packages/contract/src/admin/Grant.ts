import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { GivenGrant, GrantTerms } from "../account/Access.ts"
import * as Api from "../Api.ts"

/** What a person gave to a program. */
export const Grant = Schema.Struct({
  ...Struct.omit(GivenGrant.fields, ["own"]),
  account: Schema.String
}).annotate({ identifier: "Grant" })
export interface Grant extends Schema.Schema.Type<typeof Grant> {}

export const Grants = Schema.Struct({ grants: Schema.Array(Grant) })
export interface Grants extends Schema.Schema.Type<typeof Grants> {}

export const grants = {
  grants: Api.get("/grants", { summary: "Access that people gave to apps by OAuth", success: Grants }),
  changeGrant: Api.patch("/grants/{id}", {
    summary: "Changes the given terms of a grant, at once",
    role: ["support"],
    description: "Nobody can allow more than `oauth.grants.most` of the configuration file.",
    body: GrantTerms,
    success: Grant,
    conflicts: true,
    example: { body: { day_limit_micros_usd: 1_000_000 } }
  }),
  revokeGrant: Api.post("/grants/{id}/revoke", {
    summary: "Revokes a grant and all its tokens, at once",
    role: ["support"],
    body: Api.NoFields,
    success: Grant,
    replay: "free"
  })
} as const
