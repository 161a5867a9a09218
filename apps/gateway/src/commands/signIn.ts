import { SignIn } from "@tollgate/gateway"
import { Shapes } from "@tollgate/gateway/operator"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as NetAddress from "effect/net/NetAddress"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { address } from "../Settings.ts"
import { CommandError } from "./CommandError.ts"
import { accountId, json } from "./inputs.ts"
import { inStore } from "./inStore.ts"
import * as Print from "./print.ts"

/** The address at which people reach the gateway. */
const baseUrl = Effect.flatMap(address, ({ baseUrl, host, port }) => {
  if (Option.isSome(baseUrl)) return Effect.succeed(baseUrl.value)
  return port === 0
    ? Effect.fail(new CommandError({ message: "TOLLGATE_BASE_URL: set the gateway's address; TOLLGATE_PORT is 0" }))
    : Effect.succeed(`http://${NetAddress.formatUrlHostString(host)}:${port}`)
})

export const signIn = Command.make(
  "sign-in",
  { account: accountId, json },
  Effect.fnUntraced(function* ({ account, json }) {
    const base = yield* baseUrl
    yield* inStore(
      Effect.gen(function* () {
        const { endsAt, secret } = yield* (yield* SignIn).createLink(account)
        const url = `${base}/account/sign-in/${Redacted.value(secret)}`
        if (json) return yield* Print.json({ account, url, expires_at: Shapes.time(endsAt) })
        yield* Print.record({ account, expires: Shapes.time(endsAt) })
        yield* Print.line(`\n${url}\nThis link signs in to the account, once, within 15 minutes.`)
      })
    )
  })
).pipe(Command.withDescription("Print a link that signs a person in to an account's pages, once, within 15 minutes"))
