import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"

export const LinkSession = Open({
  auth_url: Schema.String.annotate({ format: "uri" }),
  /** Opaque; protects the redirect against forgery. */
  state: Schema.String,
  expires_at: Schema.optionalKey(Schema.String.annotate({ format: "date-time" }))
}).annotate({ identifier: "LinkSession" })
export interface LinkSession extends Schema.Schema.Type<typeof LinkSession> {}
