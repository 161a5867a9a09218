import { Operators, SignIn } from "@tollgate/gateway"
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
import { json, optionalArgument } from "./inputs.ts"
import { inStore } from "./inStore.ts"

const notStarted = (base: string) =>
  `No gateway was started on this data folder yet. The link will work if one listens at ${base}.`

/** The address at which people reach the gateway: as it is set, as the gateway that was started last has it, or the default. */
const baseUrl = Effect.gen(function* () {
  const { baseUrl, host, port } = yield* address
  const known = Option.getOrUndefined(baseUrl) ?? (yield* readAddress((yield* place).data))
  if (known !== undefined) return { base: known, isKnown: true }
  if (port === 0) {
    return yield* Print.fail("TOLLGATE_BASE_URL: set the gateway's address; TOLLGATE_PORT is 0")
  }
  return { base: `http://${NetAddress.formatUrlHostString(host)}:${port}`, isKnown: false }
})

export const signIn = Command.make(
  "sign-in",
  { who: optionalArgument("who", "An operator, op_…, or an account, acct_…"), json },
  Effect.fnUntraced(function* ({ json, who }) {
    const { base, isKnown } = yield* baseUrl
    yield* inStore(
      Effect.gen(function* () {
        const { createLink, createOperatorLink } = yield* SignIn
        const id = Option.getOrUndefined(who)
        const account = id === undefined || id.startsWith("op_") ? undefined : id
        const { endsAt, secret } = yield* id === undefined
          ? createOperatorLink
          : account === undefined
            ? Effect.flatMap(Operators, ({ link }) => link(id))
            : createLink(account)
        if (!isKnown) yield* Print.warning(notStarted(base))
        const link = Redacted.value(secret)
        const url = account === undefined ? operatorLink(base, link) : `${base}/account/sign-in/${link}`
        const to = account === undefined ? "the operator's pages" : "the account"
        const whose = account === undefined ? (id === undefined ? {} : { operator: id }) : { account }
        if (json) return yield* Print.json({ ...whose, url, expires_at: Shapes.time(endsAt) })
        yield* Print.record({ ...whose, expires: Shapes.time(endsAt) })
        yield* Print.line(`\n${url}\nThis link signs in to ${to}, once, within 15 minutes.`)
      })
    )
  })
).pipe(
  Command.withDescription(
    "Print a link that signs a person in, once, within 15 minutes: as an operator, to an account's pages, or with the shared token"
  ),
  Command.withShortDescription("Print a link that signs a person in, once")
)
