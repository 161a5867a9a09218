import { fill } from "@tollgate/contract/Names"
import { rerank } from "@tollgate/contract/operations/rerank"
import { modelsOf } from "@tollgate/contract/price/Price"
import { type Gateway, Accounts, SignIn } from "@tollgate/gateway"
import { type NewKey, oneAtATime } from "@tollgate/gateway/operator"
import * as Redacted from "effect/Redacted"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { typed } from "../terminal/print.ts"
import type { Settings } from "../settings/Settings.ts"

interface TryIt {
  readonly path: string
  /** Missing for a GET. */
  readonly body?: object
}

const question = "Which river is longest?"

const documents = ["Mount Everest is the highest mountain.", "The Nile is the longest river in Africa."]

/** Short calls of the operations with models, in the order of preference. */
const conversations: Readonly<Record<string, (model: string) => object>> = {
  "chat.completions": (model) => ({ model, messages: [{ role: "user", content: question }] }),
  responses: (model) => ({ model, input: question }),
  messages: (model) => ({ model, max_tokens: 200, messages: [{ role: "user", content: question }] }),
  "models.generate_content": () => ({ contents: [{ parts: [{ text: question }] }] })
}

/** A call that this gateway can carry out: `isRouted` says whether an upstream executes an operation. */
export const tryIt = (
  { catalogue, models, prices }: Gateway.Gateway,
  isRouted: (operation: string) => boolean
): TryIt => {
  if (isRouted(fill(rerank.id, catalogue.names))) {
    return { path: rerank.path ?? "", body: { query: question.toLowerCase(), documents } }
  }
  for (const [id, body] of Object.entries(conversations)) {
    const operation = catalogue.byId.get(id)
    if (operation === undefined) continue
    const found = models.find(({ id: model, operations }) => {
      const priced = modelsOf(prices.of(operation, model))
      return operations?.includes(id) === true && Object.hasOwn(priced, model)
    })
    if (found !== undefined) return { path: operation.path.replace("{model}", found.id), body: body(found.id) }
  }
  return { path: "/v1/models" }
}

export interface Banner {
  readonly address: string
  readonly data: string
  readonly upstream: string
  /** How the operator gets in. `undefined`: there is no console, or no token. */
  readonly operator?: string | undefined
  /** Where the metrics are, if they have a port of their own. */
  readonly metrics?: string | undefined
  /** `created` at this start, `bootstrap` from the environment, or `existing` from an earlier start. */
  readonly key:
    | ({ readonly is: "created" } & NewKey)
    | { readonly is: "bootstrap" }
    | { readonly is: "existing"; readonly account: string }
  /** How many calls the last process left open. */
  readonly cut: number
  readonly tryIt: TryIt
}

const keyLines = (key: Banner["key"]): ReadonlyArray<string> =>
  key.is === "created"
    ? [`  key      ${Redacted.value(key.value)}`, "           shown only this once: keep it"]
    : key.is === "bootstrap"
      ? ["  key      the one in TOLLGATE_BOOTSTRAP_KEY"]
      : [
          "  key      created at an earlier start",
          `           lost the key? ${typed.program} keys create ${key.account}`
        ]

const cutLines = (cut: number): ReadonlyArray<string> => {
  if (cut === 0) return []
  const [calls, their] = cut === 1 ? ["1 call was", "its"] : [`${cut} calls were`, "their"]
  return [`  calls    ${calls} cut by the last stop; ${their} outcome is unknown (${typed.program} audit)`]
}

const keyInCommand = (key: Banner["key"]): string =>
  key.is === "created"
    ? Redacted.value(key.value)
    : key.is === "bootstrap"
      ? "$TOLLGATE_BOOTSTRAP_KEY"
      : "$TOLLGATE_KEY"

const command = (address: string, key: Banner["key"], { body, path }: TryIt): string => {
  const authorization = `-H "Authorization: Bearer ${keyInCommand(key)}"`
  const rest = body === undefined ? "" : ` -H "Content-Type: application/json" -d '${JSON.stringify(body)}'`
  return `curl ${address}${path} ${authorization}${rest}`
}

export const banner = ({ address, cut, data, key, metrics, operator, tryIt, upstream }: Banner): string =>
  [
    "",
    `  Tollgate ${address}`,
    "",
    ...keyLines(key),
    ...(operator === undefined ? [] : [`  operator ${operator}`]),
    `  data     ${data}`,
    `  upstream ${upstream}`,
    `  agents   ${address}/mcp`,
    ...(metrics === undefined ? [] : [`  metrics  ${metrics}`]),
    ...cutLines(cut),
    "",
    "  Try it:",
    "",
    `  ${command(address, key, tryIt)}`,
    "",
    "  Ctrl-C ends it.",
    ""
  ].join("\n")

/** What is behind the `#` stays in the browser. */
export const operatorLink = (base: string, secret: string): string => `${base}/operator#link=${secret}`

/** The first start prints a link. Later ones say how to get another. */
export const operatorSignIn = Effect.fnUntraced(function* (
  baseUrl: string,
  { adminToken }: Pick<Settings, "adminToken">,
  key: Banner["key"]
) {
  if (Option.isSome(adminToken)) return `${baseUrl}/operator, with the token in TOLLGATE_ADMIN_TOKEN`
  if (key.is !== "created") return `${baseUrl}/operator, with a link that ${typed.program} sign-in prints`
  const { secret } = yield* (yield* SignIn).createOperatorLink
  return `${operatorLink(baseUrl, Redacted.value(secret))}\n           signs you in once, within 15 minutes`
})

const createOrFind = Effect.fnUntraced(function* (settings: Pick<Settings, "bootstrapKey">) {
  const accounts = yield* Accounts
  const [first] = yield* accounts.list
  const { id } = first ?? (yield* accounts.create("default"))
  if (Option.isSome(settings.bootstrapKey)) {
    yield* accounts.adoptKey(id, settings.bootstrapKey.value, "bootstrap")
    return { is: "bootstrap" } as const
  }
  if ((yield* accounts.listKeys()).length > 0) {
    return { is: "existing", account: id } as const
  }
  const made = yield* accounts.createKey(id, { label: "demo" })
  return { is: "created", ...made } as const
})

/**
 * The first start creates an account and a key. The key is shown once; the store holds its hash. Of several gateways that
 * start together, one creates the key and the others find it.
 */
export const firstKey = (settings: Pick<Settings, "bootstrapKey">) => oneAtATime("first key")(createOrFind(settings))
