import * as Schema from "effect/Schema"
import { Time } from "../account/Amount.ts"

/** What is known of each change that a request made to the configuration. */
export const recorded = {
  id: Schema.String.annotate({ description: "The id of the request that made the change." }),
  at: Time,
  address: Schema.NullOr(Schema.String).annotate({ description: "Where the request came from." }),
  note: Schema.String,
  state: Schema.Literals(["applied", "refused", "begun"]).annotate({
    description: "`begun`: the gateway stopped while it wrote. Each file is the old one or the new one."
  })
}
