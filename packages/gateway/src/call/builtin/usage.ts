import { UsageReport } from "@tollgate/contract/resources/UsageReport"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { Principal } from "../../books/credential/Keys.ts"
import type { Owner, Usage } from "../../books/usage/Usage.ts"
import { json } from "../../exchange/Answer.ts"
import type { Builtin } from "../../exchange/Builtin.ts"

const encode = Schema.encodeEffect(Schema.fromJsonString(UsageReport))

const seconds = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/** An access token acts for the whole account. */
const ownerIn = ({ account, grant, key }: Principal): Owner => (grant === undefined ? { account, key } : { account })

/** The usage of the caller's key, or of the account if the credential is not a key. */
export const usage =
  ({ report }: Usage["Service"]): Builtin =>
  ({ input: { query }, principal }) =>
    principal === undefined
      ? Effect.fail(refuse("missing_credential", "A usage report needs a credential."))
      : report(ownerIn(principal), {
          start_time: seconds(query.start_time) ?? 0,
          end_time: seconds(query.end_time)
        }).pipe(
          Effect.flatMap((found) => Effect.orDie(encode(found))),
          Effect.map((body) => json(body))
        )
