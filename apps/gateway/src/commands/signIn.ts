import { SignIn } from "@tollgate/gateway"
import { Shapes } from "@tollgate/gateway/operator"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as NetAddress from "effect/net/NetAddress"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { operatorLink } from "../serve/banner.ts"
import { readAddress } from "../store/dataFolder.ts"
import { address, place } from "../settings/Settings.ts"
import * as Print from "../terminal/print.ts"
import { fail } from "../terminal/print.ts"
import * as Argument from "effect/cli/Argument"
import { accountId, json } from "./inputs.ts"
import { inStore } from "./inStore.ts"

const notStarted = (base: string) =>
  `No gateway was started on this data folder yet. The link will work if one listens at ${base}.`

/** The address at which people reach the gateway: as it is set, as the gateway that was started last has it, or the default. */
const baseUrl = Effect.gen(function* () {
  const { baseUrl, host, port } = yield* address
  const known = Option.getOrUndefined(baseUrl) ?? (yield* readAddress((yield* place).data))
  if (known !== undefined) return { base: known, isKnown: true }
  if (port === 0) {
    return yield* fail("TOLLGATE_BASE_URL: set the gateway's address; TOLLGATE_PORT is 0")
  }
  return { base: `http://${NetAddress.formatUrlHostString(host)}:${port}`, isKnown: false }
})

export const signIn = Command.make(
  "sign-in",
  { account: Argument.optional(accountId), json },
  Effect.fnUntraced(function* ({ account, json }) {
    const { base, isKnown } = yield* baseUrl
    yield* inStore(
      Effect.gen(function* () {
        const { createLink, createOperatorLink } = yield* SignIn
        const { endsAt, secret } = yield* Option.match(account, {
          onNone: () => createOperatorLink,
          onSome: createLink
        })
        if (!isKnown) yield* Print.warning(notStarted(base))
        const link = Redacted.value(secret)
        const [to, who, url] = Option.match(account, {
          onNone: () => ["the operator's pages", {}, operatorLink(base, link)] as const,
          onSome: (account) => ["the account", { account }, `${base}/account/sign-in/${link}`] as const
        })
        if (json) return yield* Print.json({ ...who, url, expires_at: Shapes.time(endsAt) })
        yield* Print.record({ ...who, expires: Shapes.time(endsAt) })
        yield* Print.line(`\n${url}\nThis link signs in to ${to}, once, within 15 minutes.`)
      })
    )
  })
).pipe(
  Command.withDescription(
    "Print a link that signs a person in, once, within 15 minutes: to an account's pages, or without one to the operator's"
  ),
  Command.withShortDescription("Print a link that signs a person in, once")
)
