import { LinkSession } from "@tollgate/contract/resources/LinkSession"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Links } from "../../identity/link/Links.ts"
import { page } from "../../identity/link/page.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
import { json } from "../../exchange/Answer.ts"
import type { Builtin } from "../../exchange/Builtin.ts"

const encode = Schema.encodeSync(Schema.fromJsonString(LinkSession))

const scopesIn = (body: unknown): ReadonlyArray<string> | undefined =>
  (body as { readonly scopes?: ReadonlyArray<string> }).scopes

export const linkStart =
  ({ start }: Links["Service"]): Builtin =>
  ({ input: { body }, principal }) =>
    principal === undefined
      ? Effect.fail(refuse("missing_credential", "Linking an account needs a credential."))
      : Effect.map(start(principal, scopesIn(body)), (session) =>
          json(encode(session), { "cache-control": "no-store" })
        )

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** The answer is a page, since a person sees it in a browser. */
export const linkCallback =
  ({ finish }: Links["Service"]): Builtin =>
  ({ input: { query } }) =>
    Effect.match(finish({ state: text(query.state), code: text(query.code), error: text(query.error) }), {
      onSuccess: () => page(),
      onFailure: ({ why }) => page(why)
    })
