import * as Schema from "effect/Schema"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { LinkSession } from "../resources/LinkSession.ts"

export const defaultScopes = [
  "follows.write",
  "tweet.read",
  "users.read",
  "tweet.write",
  "like.write",
  "dm.read",
  "dm.write"
] as const

export const summary = "Start linking a platform account"
export const description =
  "Connects an account of a user, who gives permission to post and read for them. Call it once for each source user, and again when the stored session ends or other scopes are needed."

/** The user opens `auth_url` and approves. */
export const linkStart = Operation.make({
  ...kinds.ownCall,
  id: "{social_a}.auth",
  category: "account",
  method: "POST",
  path: "/apis/v1/{social_a}/auth_{social_a}",
  request: {
    body: Schema.Struct({
      scopes: Schema.optionalKey(Schema.Array(Schema.String)).annotate({
        description: "Defaults to the gateway's own set."
      })
    })
  },
  success: LinkSession,
  family: "data"
})
